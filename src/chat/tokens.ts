import { type Mentions, unwrap } from './slack-text.js';

export interface Token {
  /** Without quotes and backslashes, Slack's escapes undone; mentions stay `<@U1|ada>`. */
  readonly value: string;
  /** Its index among the words. */
  readonly place: number;
  /** A line break precedes it. */
  readonly opensLine: boolean;
  /** Its position in the source. */
  readonly start: number;
  readonly end: number;
  /** Quoted or escaped at its start: never a flag. */
  readonly literal: boolean;
  /** Entirely in quotes. */
  readonly quoted: boolean;
}

const doubles = '"“”„‟';
const singles = "'‘’‚‛";
/** A quote opens only where a value may start, so that `don't` and `5"` stay words. */
const opensAfter = '=:,';
const atom = /<[^<>\n]*>|&(?:amp|lt|gt);/y;
const space = /\s/;
const word = /\S+/y;
/** Characters without special meaning, taken in one go. */
const ordinary = /[^\s\\<&"“”„‟'‘’‚‛=:,]+/y;

interface Piece {
  readonly text: string;
  readonly end: number;
  readonly kind: 'plain' | 'quoted' | 'escaped';
}

function closing(source: string, from: number, family: string): number {
  for (let at = from; at < source.length; at += 1) {
    const char = source[at] ?? '';
    if (char === '\\') at += 1;
    else if (family.includes(char) && (family === doubles || endsWord(source, at + 1))) return at;
  }
  return -1;
}

const endsWord = (source: string, at: number) => at >= source.length || /[\s,]/.test(source[at] ?? '');

/** Quote families with no closing quote ahead: searched once, so that no text is slow to read. */
type Unclosed = Set<string>;

function quotedAt(source: string, at: number, unclosed: Unclosed): Piece | undefined {
  const open = source[at] ?? '';
  const family = [doubles, singles].find((quotes) => quotes.includes(open));
  if (family === undefined || unclosed.has(family)) return undefined;
  const end = closing(source, at + 1, family);
  if (end === -1) {
    unclosed.add(family);
    return undefined;
  }
  const inside = source.slice(at + 1, end).replace(/\\(["“”„‟'‘’‚‛\\])/g, '$1');
  return { text: unwrap(inside, 'keep'), end: end + 1, kind: 'quoted' };
}

function pieceAt(source: string, at: number, start: number, unclosed: Unclosed): Piece {
  const char = source[at] ?? '';
  const mayOpen = at === start || opensAfter.includes(source[at - 1] ?? ' ');
  const quoted = mayOpen ? quotedAt(source, at, unclosed) : undefined;
  if (quoted) return quoted;
  const next = source[at + 1] ?? '';
  if (char === '\\' && next !== '' && (`${doubles}${singles}\\—–-`.includes(next) || space.test(next))) {
    return { text: next, end: at + 2, kind: 'escaped' };
  }
  const found = char === '<' || char === '&' ? match(atom, source, at) : undefined;
  if (found !== undefined) return { text: unwrap(found, 'keep'), end: at + found.length, kind: 'plain' };
  const run = match(ordinary, source, at) ?? char;
  return { text: run, end: at + run.length, kind: 'plain' };
}

function match(sticky: RegExp, source: string, at: number): string | undefined {
  sticky.lastIndex = at;
  return sticky.exec(source)?.[0];
}

function tokenAt(source: string, start: number, unclosed: Unclosed): Omit<Token, 'place' | 'opensLine'> {
  const pieces: Piece[] = [];
  let end = start;
  while (end < source.length && !space.test(source[end] ?? '')) {
    const piece = pieceAt(source, end, start, unclosed);
    pieces.push(piece);
    end = piece.end;
  }
  return {
    value: pieces.map((piece) => piece.text).join(''),
    start,
    end,
    literal: pieces[0]?.kind !== 'plain',
    quoted: pieces.length === 1 && pieces[0]?.kind === 'quoted',
  };
}

/** What most lines do not contain: quotes, escapes, mentions, line breaks. */
const demanding = /[\\<&"“”„‟'‘’‚‛\n]/;

function plainWords(source: string): Token[] {
  const tokens: Token[] = [];
  for (let start = 0; start < source.length; start += 1) {
    const value = match(word, source, start);
    if (value === undefined) continue;
    const end = start + value.length;
    tokens.push({ value, place: tokens.length, opensLine: false, start, end, literal: false, quoted: false });
    start = end;
  }
  return tokens;
}

/** Words as typed on a phone: smart quotes, stray apostrophes and unclosed quotes never throw. */
export function tokenize(source: string): Token[] {
  if (!demanding.test(source)) return plainWords(source);
  const tokens: Token[] = [];
  const unclosed: Unclosed = new Set();
  let opensLine = false;
  let at = 0;
  while (at < source.length) {
    const char = source[at] ?? '';
    if (space.test(char)) {
      opensLine ||= char === '\n';
      at += 1;
      continue;
    }
    const token = tokenAt(source, at, unclosed);
    tokens.push({ ...token, place: tokens.length, opensLine });
    at = token.end;
    opensLine = false;
  }
  return tokens;
}

/** Several words with the text between them; one space where a flag was removed. */
export function textOf(source: string, tokens: readonly Token[], mentions: Mentions = 'plain'): string {
  const [first, ...others] = tokens;
  if (!first) return '';
  if (others.length === 0 && first.quoted) return first.value;
  let text = written(source, first, mentions);
  let last = first;
  for (const token of others) {
    const neighbors = token.place === last.place + 1;
    text += (neighbors ? source.slice(last.end, token.start) : ' ') + written(source, token, mentions);
    last = token;
  }
  return text;
}

/** A backslash that kept a word from being a flag is not part of the text. */
function written(source: string, token: Token, mentions: Mentions): string {
  const raw = source.slice(token.start, token.end);
  return unwrap(token.literal && /^\\[—–-]/.test(raw) ? raw.slice(1) : raw, mentions);
}
