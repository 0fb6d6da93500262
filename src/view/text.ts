import { limits } from './limits.js';

const ellipsis = '…';
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

// A joiner stays only between two pictographs, where it makes one emoji of them.
const looseJoiner =
  /(?<!\p{Extended_Pictographic}[\u{FE0F}\u{1F3FB}-\u{1F3FF}]?)\u{200D}|\u{200D}(?!\p{Extended_Pictographic})/gu;
// Control and format characters: bidi overrides, zero widths, tags, null bytes.
const unseen = /(?![\n\u{200D}])[\p{Cc}\p{Cf}]/gu;
// Invisible letters.
const blanks = /\u{034F}|\u{115F}|\u{1160}|\u{17B4}|\u{17B5}|\u{2800}|\u{3164}|\u{FFA0}/gu;
const pileOfMarks = /(\p{M}{6})\p{M}+/gu;

// More than any part of a message can hold.
const longest = 20_000;

/** Text without invisible characters and direction overrides; line breaks stay. */
export function clean(text: string): string {
  return text
    .slice(0, longest)
    .replace(/\r\n?|\u{2028}|\u{2029}|\u{0085}/gu, '\n')
    .replaceAll('\t', ' ')
    .replace(/\p{Cs}/gu, '\u{FFFD}')
    .replace(blanks, '')
    .replace(looseJoiner, '')
    .replace(unseen, '')
    .replace(pileOfMarks, '$1');
}

/** The same on one line, for names and titles. */
export function oneLine(text: string): string {
  return clean(text).replace(/\s+/gu, ' ').trim();
}

/** Slack's three control characters as entities. */
export function entities(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const lengths = new Map(['&', '<', '>'].map((each) => [each, entities(each).length]));

function fromEntities(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** The last place at or before `at` that is not inside a grapheme: looking there is far quicker than going through them all. */
const betweenGraphemes = (text: string, at: number): number => graphemes.segment(text).containing(at)?.index ?? at;

/** At most `max` characters after escaping; cut between graphemes with an ellipsis. */
export function clip(text: string, max: number): string {
  if (text.length <= max && entities(text).length <= max) return text;
  const room = max - ellipsis.length;
  if (room < 0) return '';
  // One more than fits is enough, however long the text is.
  const start = text.slice(0, max + 1);
  let fits = 0;
  for (let used = 0; fits < start.length; fits += 1) {
    used += lengths.get(start.charAt(fits)) ?? 1;
    if (used > room) break;
  }
  return start.slice(0, betweenGraphemes(start, fits)).trimEnd() + ellipsis;
}

/** For text that people edit and send back: shortened if necessary, otherwise unchanged. */
export function cutText(text: string, max: number): string {
  const whole = text.replaceAll('\u{0000}', '').replace(/\p{Cs}/gu, '\u{FFFD}');
  if (whole.length <= max) return whole;
  const start = whole.slice(0, max + 1);
  return start.slice(0, betweenGraphemes(start, max));
}

// Slack mrkdwn in which every value is data: only the builders below create live markup.

/** `open` and `close` are markup created here; `text` is data and is escaped when written. */
interface Piece {
  readonly open: string;
  readonly text: string;
  readonly close: string;
  /** What readers of the fallback text see instead. */
  readonly plain?: string;
}

export class Mrkdwn {
  readonly #pieces: readonly Piece[];

  private constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  static of(pieces: readonly (Piece | Mrkdwn)[]): Mrkdwn {
    return new Mrkdwn(pieces.flatMap((piece) => (piece instanceof Mrkdwn ? piece.#pieces : [piece])));
  }

  /** What Slack receives. */
  get source(): string {
    return this.#pieces.map(write).join('');
  }

  get plain(): string {
    return this.#pieces.map((piece) => piece.plain ?? piece.text).join('');
  }

  get empty(): boolean {
    return this.source.trim() === '';
  }

  /** Never cuts through a link, a mention or an entity. */
  within(max: number): Mrkdwn {
    if (this.source.length <= max) return this;
    const kept: Piece[] = [];
    let left = max - 1;
    for (const piece of this.#pieces) {
      const length = write(piece).length;
      if (length <= left) {
        kept.push(piece);
        left -= length;
        continue;
      }
      const room = left + 1 - piece.open.length - piece.close.length;
      kept.push(room > 3 && piece.text !== '' ? { ...piece, text: clip(piece.text, room) } : words('…'));
      break;
    }
    return new Mrkdwn(kept);
  }
}

function write(piece: Piece): string {
  return piece.open + entities(piece.text) + piece.close;
}

function words(text: string): Piece {
  return { open: '', text, close: '' };
}

// A backtick in a title would pair up with one of ours.
function data(text: string): string {
  return oneLine(text).replaceAll('`', 'ˋ');
}

export type Value = string | number | bigint | Mrkdwn;

function piece(value: Value): Piece | Mrkdwn {
  return value instanceof Mrkdwn ? value : words(data(String(value)));
}

/** md`Closed ${link(url, title)}.` Values are escaped and kept on one line; the literal parts may format. */
export function md(literals: TemplateStringsArray, ...values: readonly Value[]): Mrkdwn {
  return Mrkdwn.of(
    literals.flatMap((literal, at) => {
      const value = values[at];
      return value === undefined ? [words(literal)] : [words(literal), piece(value)];
    }),
  );
}

/** Our own or the forge's text unchanged, with its line breaks. */
export function lines(text: string): Mrkdwn {
  return Mrkdwn.of([words(clean(text).replaceAll('`', 'ˋ').trim())]);
}

/** An http or https address without credentials, safe inside `<…|…>`; undefined if it is not one. */
export function webUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') return undefined;
  parsed.username = '';
  parsed.password = '';
  const href = parsed.href
    .replaceAll('|', '%7C')
    .replaceAll('<', '%3C')
    .replaceAll('>', '%3E')
    .replaceAll('"', '%22')
    .replaceAll('`', '%60');
  return entities(href).length <= limits.button.url - 500 ? href : undefined;
}

const withScheme = /(?:https?:\/{1,2}|www\.)[^\s<>()[\]"*_~]+/giu;
const bareHost = /^[\p{L}\p{N}-]+(?:[.。．｡][\p{L}\p{N}-]+)*[.。．｡]\p{L}[\p{L}\p{N}-]+(?=[:/?#]|$)/u;

/** A label that names an address of another host gives way to the target: nobody is led elsewhere than they read. */
export function honestLabel(label: string, href: string): string {
  const { host, pathname } = new URL(href);
  const word = label.slice(0, 300).replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}/]+$/gu, '');
  const isFile = pathname.endsWith(`/${word}`);
  const bare = bareHost.test(word) && !isFile && !/\s/u.test(word) ? [word] : [];
  const named = [...(label.match(withScheme) ?? []), ...bare];
  const isOther = (address: string) => {
    const full = /^https?:/iu.test(address) ? address : `https://${address}`;
    return !URL.canParse(full) || new URL(full).host !== host || new URL(full).username !== '';
  };
  return label === '' || named.some(isOther) ? clip(href, 80) : label;
}

/** Plain text if the address cannot be linked. */
export function link(url: string | null | undefined, text: string): Mrkdwn {
  const href = url ? webUrl(url) : undefined;
  const label = data(text);
  if (href === undefined) return Mrkdwn.of([words(label)]);
  // titles may name addresses and files; only one that is nothing else imitates a target
  const isAddress = label === '' || (/^(?:https?:|www\.)/iu.test(label) && !label.includes(' '));
  return Mrkdwn.of([{ open: `<${entities(href)}|`, text: isAddress ? honestLabel(label, href) : label, close: '>' }]);
}

/** To an address that others chose, such as a check's: a label that is only a host is an imitation too. */
export function foreignLink(url: string | null | undefined, text: string): Mrkdwn {
  const href = url ? webUrl(url) : undefined;
  return link(href, href === undefined ? text : honestLabel(data(text), href));
}

/** `name` is for readers of the fallback text. */
export function mention(userId: string, name?: string): Mrkdwn {
  const plain = name === undefined ? 'someone' : data(name);
  if (!/^[UW][A-Z0-9]+$/u.test(userId)) return Mrkdwn.of([words(plain)]);
  return Mrkdwn.of([{ open: `<@${userId}>`, text: '', close: '', plain }]);
}

/** A person whose login may be unknown. */
export const mentionOf = ({ user, login }: { readonly user: string; readonly login: string | null }): Mrkdwn =>
  mention(user, login ?? undefined);

export function channel(id: string, name?: string): Mrkdwn {
  const plain = name === undefined ? 'a channel' : `#${data(name)}`;
  if (!/^[CGD][A-Z0-9]+$/u.test(id)) return Mrkdwn.of([words(plain)]);
  return Mrkdwn.of([{ open: `<#${id}>`, text: '', close: '', plain }]);
}

export function userGroup(id: string, name?: string): Mrkdwn {
  const plain = name === undefined ? 'a user group' : `@${data(name)}`;
  if (!/^S[A-Z0-9]+$/u.test(id)) return Mrkdwn.of([words(plain)]);
  return Mrkdwn.of([{ open: `<!subteam^${id}>`, text: '', close: '', plain }]);
}

/** Slack shows it in the reader's own time zone. */
export function dateToken(seconds: number, format: string, fallback: string): Mrkdwn {
  const shown = data(fallback).replaceAll('|', '/');
  return Mrkdwn.of([{ open: `<!date^${Math.trunc(seconds)}^${format}|`, text: shown, close: '>' }]);
}

export function code(text: string | number): Mrkdwn {
  const shown = data(String(text));
  return Mrkdwn.of(shown === '' ? [] : [{ open: '`', text: shown, close: '`' }]);
}

/** Our own text with code between backticks, as `readable` returns it. */
export function codeText(text: string): Mrkdwn {
  const parts = clean(text).trim().split('`');
  // an unpaired backtick is part of the text
  if (parts.length % 2 === 0) return lines(text);
  return Mrkdwn.of(parts.map((part, at) => (at % 2 === 0 ? words(part) : code(part))));
}

export function codeBlock(text: string): Mrkdwn {
  const shown = clean(text).replaceAll('`', 'ˋ');
  return Mrkdwn.of(shown.trim() === '' ? [] : [{ open: '```\n', text: shown, close: '\n```' }]);
}

export function bold(text: string | Mrkdwn): Mrkdwn {
  if (text instanceof Mrkdwn) return text.empty ? text : Mrkdwn.of([mark('*'), text, mark('*')]);
  const shown = data(text).replaceAll('*', '∗');
  return Mrkdwn.of(shown === '' ? [] : [{ open: '*', text: shown, close: '*' }]);
}

function mark(open: string): Piece {
  return { open, text: '', close: '' };
}

export function quote(text: string): Mrkdwn {
  const shown = lines(text).plain.split('\n');
  return Mrkdwn.of(shown.map((line, at) => ({ open: '>', text: line, close: at < shown.length - 1 ? '\n' : '' })));
}

/** Leaves out empty parts. */
export function join(parts: readonly (Value | undefined)[], separator = ' · '): Mrkdwn {
  const shown = parts
    .filter((part) => part !== undefined)
    .map((part) => Mrkdwn.of([piece(part)]))
    .filter((part) => !part.empty);
  return Mrkdwn.of(shown.flatMap((part, at) => (at === 0 ? [part] : [words(separator), part])));
}

/** Readable text for notifications and screen readers, from mrkdwn already written into a block. */
export function readable(source: string): string {
  const shown = source.replace(/<([^<>|]*)(?:\|([^<>]*))?>/gu, (_all, target: string, label: string | undefined) => {
    if (label !== undefined) return label;
    if (target.startsWith('@')) return 'someone';
    if (target.startsWith('#')) return 'a channel';
    return target.startsWith('!') ? 'a group' : target;
  });
  return fromEntities(shown.replaceAll(/^>/gmu, ''));
}
