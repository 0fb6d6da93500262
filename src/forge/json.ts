const longDigits = /\d{16}/;
const token = /"(?:[^"\\]+|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * JSON.parse rounds integers beyond 2^53 without a word. Here they become strings of their digits: a field that
 * wants a number then refuses with its path, a field nobody reads does no harm.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return longDigits.test(text) ? JSON.parse(text.replace(token, keepDigits)) : value;
}

function keepDigits(found: string): string {
  if (found.startsWith('"') || !/^-?\d{16,}$/.test(found)) return found;
  return Number.isSafeInteger(Number(found)) ? found : `"${found}"`;
}

/** A named value of something that may be anything. */
export function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
