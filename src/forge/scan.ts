// Where things end in the bytes of a JSON text; nothing is built here.

export const quote = 34;
export const comma = 44;
export const colon = 58;
export const openBracket = 91;
const backslash = 92;
export const closeBracket = 93;
export const openBrace = 123;
export const closeBrace = 125;
const space = 32;

/** The text ends too early, or is no JSON. */
export class NoJson extends Error {
  override readonly name = 'NoJson';
}

export function startOfNext(bytes: Uint8Array, from: number): number {
  const end = bytes.length;
  for (let at = from; at < end; at += 1) {
    if ((bytes[at] ?? space) > space) return at;
  }
  throw new NoJson();
}

/** All four take the place where the thing begins and return the place after it. */
export function endOfValue(bytes: Uint8Array, from: number): number {
  const first = bytes[from];
  if (first === quote) return endOfString(bytes, from);
  return first === openBrace || first === openBracket ? endOfNested(bytes, from) : endOfWord(bytes, from);
}

export function endOfString(bytes: Uint8Array, from: number): number {
  const end = bytes.length;
  for (let at = from + 1; at < end; at += 1) {
    const code = bytes[at];
    if (code === quote) return at + 1;
    if (code === backslash) at += 1;
  }
  throw new NoJson();
}

function endOfNested(bytes: Uint8Array, from: number): number {
  const end = bytes.length;
  let depth = 0;
  for (let at = from; at < end; at += 1) {
    const code = bytes[at];
    if (code === quote) at = endOfString(bytes, at) - 1;
    else if (code === openBrace || code === openBracket) depth += 1;
    else if (code === closeBrace || code === closeBracket) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  throw new NoJson();
}

function endOfWord(bytes: Uint8Array, from: number): number {
  const end = bytes.length;
  for (let at = from; at < end; at += 1) {
    const code = bytes[at] ?? space;
    if (code !== comma && code !== closeBrace && code !== closeBracket && code > space) continue;
    if (at === from) break;
    return at;
  }
  throw new NoJson();
}
