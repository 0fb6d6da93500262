// A forge's Markdown as rich text made of literal elements: nothing in it can become a mention.
import type { RichTextBlock, RichTextBlockElement, RichTextElement, RichTextSection, RichTextText } from '@slack/types';
import { Lexer, type MarkedToken, type Token, Tokenizer, type Tokens } from 'marked';
import { clean, clip, entities, honestLabel, oneLine, webUrl } from './text.js';

const deepest = 6;

/** Below the deepest level, marks are text: nesting costs neither stack nor time. */
class ShallowTokenizer extends Tokenizer {
  #depth = 0;

  #inside<T>(read: () => T): T | undefined {
    if (this.#depth >= deepest) return undefined;
    this.#depth += 1;
    try {
      return read();
    } finally {
      this.#depth -= 1;
    }
  }

  override blockquote(src: string) {
    return this.#inside(() => super.blockquote(src));
  }

  override list(src: string) {
    return this.#inside(() => super.list(src));
  }

  override emStrong(src: string, masked: string, before?: string) {
    return this.#inside(() => super.emStrong(src, masked, before));
  }

  override del(src: string, masked: string, before?: string) {
    return this.#inside(() => super.del(src, masked, before));
  }

  override link(src: string) {
    return this.#inside(() => super.link(src));
  }

  override reflink(src: string, links: Parameters<Tokenizer['reflink']>[1]) {
    return this.#inside(() => super.reflink(src, links));
  }
}

const read = 12_000;

/** Without a template's comments, and with only as many nested quotes as anyone writes, so that the words fit. */
const tidy = (markdown: string) =>
  clean(markdown.slice(0, read * 8).replace(/^ {0,3}<!--[\s\S]*?(?:-->|(?![\s\S]))/gmu, '')).replace(
    /^((?: {0,3}> ?){8})(?: {0,3}> ?)+/gmu,
    '$1',
  );

/** Cut between words: half an address would lead elsewhere. */
function cutSource(source: string, max: number): string {
  if (source.length <= max) return source;
  const end = Math.max(source.lastIndexOf('\n', max), source.lastIndexOf(' ', max));
  return source.slice(0, end > max / 2 ? end : max);
}

/** Long paragraphs are read no further than they are shown: emphasis takes time that grows faster than its text. */
function lex(source: string, max: number): readonly Token[] {
  try {
    const lexer = new Lexer({ gfm: true, tokenizer: new ShallowTokenizer() });
    lexer.blockTokens(source, lexer.tokens);
    for (const { src, tokens } of lexer.inlineQueue) lexer.inlineTokens(cutSource(src, max * 2 + 500), tokens);
    return lexer.tokens;
  } catch {
    return [{ type: 'text', raw: source, text: source }];
  }
}

// Without extensions the lexer makes no other tokens.
const asMarked = (tokens: readonly Token[] = []) => tokens as readonly MarkedToken[];

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function characterOf(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\u{FFFD}';
}

const decode = (text: string) =>
  text.replace(/&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,7})|#x([0-9a-f]{1,6}));/giu, (_all, name, decimal, hex) =>
    name ? (named[name.toLowerCase()] ?? '') : characterOf(decimal ? Number(decimal) : Number.parseInt(hex, 16)),
  );

const tags =
  'a|abbr|b|big|blockquote|br|center|code|dd|del|details|div|dl|dt|em|font|h[1-6]|hr|i|img|input|ins|kbd|li|mark|ol|p|picture|pre|s|small|source|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|u|ul|video';
const anyTag = new RegExp(`</?(?:${tags})(?:\\s[^<>]*)?/?>`, 'giu');

const withoutTags = (html: string) =>
  decode(html.replace(/<br\s*\/?>|<\/summary>/giu, '\n').replace(anyTag, '')).replace(/\n{2,}/gu, '\n');

const withoutComments = (html: string) => html.replace(/<!--[\s\S]*?(?:-->|$)/gu, '');

const imageName = (alt: string) => (alt.trim() === '' ? '[image]' : `[image: ${oneLine(alt)}]`);

/** A link's label or a table's cell. */
function plainOf(tokens: readonly Token[] | undefined): string {
  return asMarked(tokens)
    .map((token) => {
      if (token.type === 'image') return imageName(decode(token.text));
      if (token.type === 'html') return withoutTags(withoutComments(token.raw));
      if (token.type === 'br') return ' ';
      if ('tokens' in token && token.tokens) return plainOf(token.tokens);
      if (token.type === 'text') return decode(token.text);
      return 'text' in token ? token.text : '';
    })
    .join('');
}

const mostRows = 30;
const widestCell = 40;

function tableText({ header, rows, align }: Tokens.Table): string {
  const cells = [header, ...rows.slice(0, mostRows)].map((row) =>
    row.map((cell) => clip(oneLine(plainOf(cell.tokens)), widestCell)),
  );
  const widths = header.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    widths
      .map((width, column) => (align[column] === 'right' ? row[column]?.padStart(width) : row[column]?.padEnd(width)))
      .join('  ')
      .trimEnd();
  const [top = [], ...rest] = cells;
  return [line(top), widths.map((width) => '─'.repeat(width)).join('  '), ...rest.map(line)].join('\n');
}

interface Home {
  /** The forge's root. */
  readonly web: string;
  readonly repository: string;
}

/** From the address of an item of the repository. */
function homeOf(page: string | null | undefined): Home | undefined {
  const item =
    /^(https?:\/\/[^/]+(?:\/[^/]+)*)\/([^/]+\/(?!-\/)[^/]+)\/(?:issues|pulls|releases|projects|milestone)\//u;
  const [, web, repository] = item.exec(page ?? '') ?? [];
  return web === undefined || repository === undefined ? undefined : { web, repository };
}

const names =
  /(?<![\p{L}\p{N}_/.#@&=-])(?:([A-Za-z0-9][\w.-]{0,99}\/(?!\.{1,2}[#!])[\w.-]{1,100})?[#!](\d{1,10})|@([A-Za-z0-9](?:[\w.-]{0,98}[A-Za-z0-9])?)|([0-9a-f]{7,64}))(?![\p{L}\p{N}_/@-])/gu;
const broadcasts = new Set(['here', 'channel', 'everyone']);
// A word or a number alone may be anything.
const isCommit = (id: string) => id.length === 40 || id.length === 64 || (/\d/u.test(id) && /[a-f]/u.test(id));

function addressOf([, other, number, login, commit]: RegExpMatchArray, { web, repository }: Home): string | undefined {
  if (number !== undefined) return `${web}/${other ?? repository}/issues/${number}`;
  if (login !== undefined) return broadcasts.has(login.toLowerCase()) ? undefined : `${web}/${login}`;
  return commit !== undefined && isCommit(commit) ? `${web}/${repository}/commit/${commit}` : undefined;
}

type Style = NonNullable<RichTextText['style']>;

const isPlain = (style: Style) => Object.keys(style).length === 0;
const section = (elements: RichTextElement[]): RichTextSection => ({ type: 'rich_text_section', elements });

function addText(into: RichTextElement[], text: string, style: Style = {}): void {
  const last = into.at(-1);
  if (last?.type === 'text' && JSON.stringify(last.style ?? {}) === JSON.stringify(style)) last.text += text;
  else into.push({ type: 'text', text, ...(!isPlain(style) && { style }) });
}

/** Characters of all addresses of one body; Slack counts them as well. */
const mostOfAddresses = 4000;

class Drawing {
  #left: number;
  #addresses = mostOfAddresses;
  readonly #home: Home | undefined;

  constructor(max: number, home: Home | undefined) {
    this.#left = max - 1;
    this.#home = home;
  }

  get isFull(): boolean {
    return this.#left < 0;
  }

  words(into: RichTextElement[], value: string, style: Style = {}): void {
    const text = clean(value);
    if (this.isFull || text === '') return;
    const size = entities(text).length;
    const shown = size > this.#left ? clip(text, this.#left + 1) : text;
    this.#left = size > this.#left ? -1 : this.#left - size;
    addText(into, shown, style);
  }

  link(into: RichTextElement[], href: string, label: string, style: Style): void {
    const url = webUrl(href);
    const text = url === undefined ? '' : honestLabel(oneLine(label), url);
    const size = entities(text).length;
    if (url === undefined || size > this.#left || url.length > this.#addresses) {
      this.words(into, label, style);
      return;
    }
    // two links side by side would read as one label
    if (into.at(-1)?.type === 'link') into.push({ type: 'text', text: ' ' });
    into.push({ type: 'link', url, text, ...(!isPlain(style) && { style }) });
    this.#left -= size;
    this.#addresses -= url.length;
  }

  /** `#12`, `acme/engine#12`, `@login` and commit ids lead to the forge. */
  #named(into: RichTextElement[], text: string, style: Style): void {
    let at = 0;
    for (const found of this.#home ? text.matchAll(names) : []) {
      const address = this.#home && addressOf(found, this.#home);
      if (address === undefined) continue;
      this.words(into, text.slice(at, found.index), style);
      this.link(into, address, found[0], style);
      at = found.index + found[0].length;
    }
    this.words(into, text.slice(at), style);
  }

  #image(into: RichTextElement[], src: string, alt: string, style: Style): void {
    const isAttachment = /^\/attachments\/[0-9a-f-]+$/iu.test(src);
    this.link(into, isAttachment && this.#home ? this.#home.web + src : src, imageName(alt), style);
  }

  #html(into: RichTextElement[], html: string, style: Style): void {
    for (const part of withoutComments(html).split(/(<img\s[^<>]*>)/iu)) {
      const [src, alt] = ['src', 'alt'].map((name) => new RegExp(`\\s${name}="([^"]*)"`, 'iu').exec(part)?.[1] ?? '');
      if (/^<img\s/iu.test(part)) this.#image(into, decode(src ?? ''), decode(alt ?? ''), style);
      else this.words(into, withoutTags(part), style);
    }
  }

  #inline(tokens: readonly Token[], style: Style = {}, into: RichTextElement[] = []): RichTextElement[] {
    for (const token of asMarked(tokens)) {
      if (this.isFull) break;
      if (token.type === 'strong') this.#inline(token.tokens, { ...style, bold: true }, into);
      else if (token.type === 'em') this.#inline(token.tokens, { ...style, italic: true }, into);
      else if (token.type === 'del') this.#inline(token.tokens, { ...style, strike: true }, into);
      else if (token.type === 'codespan') this.words(into, token.text, { ...style, code: true });
      else if (token.type === 'link')
        this.link(into, token.autolink ? token.href : decode(token.href), plainOf(token.tokens), style);
      else if (token.type === 'image') this.#image(into, decode(token.href), decode(token.text), style);
      else if (token.type === 'html') this.#html(into, token.raw, style);
      else if (token.type === 'br') this.words(into, '\n', style);
      else if (token.type === 'checkbox') this.words(into, token.checked ? '☑ ' : '☐ ', style);
      else if (token.type === 'escape') this.words(into, token.text, style);
      else if (token.type === 'text') this.#named(into, decode(token.text), style);
    }
    return into;
  }

  #preformatted(text: string): RichTextBlockElement[] {
    const elements: RichTextText[] = [];
    this.words(elements, text.trimEnd());
    return elements.length === 0 ? [] : [{ type: 'rich_text_preformatted', elements }];
  }

  #paragraph(elements: RichTextElement[]): RichTextBlockElement[] {
    const shown = trimEnds(elements);
    const last = shown.at(-1);
    if (last) addText(shown, '\n', last.type === 'text' && !last.style?.code ? last.style : undefined);
    return last ? [section(shown)] : [];
  }

  #list(list: Tokens.List, indent: number): RichTextBlockElement[] {
    const made: RichTextBlockElement[] = [];
    const style = list.ordered ? 'ordered' : 'bullet';
    list.items.forEach((item, nth) => {
      const drawn = this.blocks(item.tokens, indent + 1);
      if (drawn.length === 0) return;
      const isOwn = ({ type }: RichTextBlockElement) => type === 'rich_text_section' || type === 'rich_text_quote';
      const own = section(trimEnds(flat(drawn.filter(isOwn))));
      const last = made.at(-1);
      if (last?.type === 'rich_text_list' && last.style === style && last.indent === indent) last.elements.push(own);
      else {
        const offset = list.ordered ? Math.max(0, Number(list.start) - 1) + nth : 0;
        made.push({ type: 'rich_text_list', style, indent, elements: [own], ...(offset > 0 && { offset }) });
      }
      made.push(...drawn.filter((block) => !isOwn(block)));
    });
    return made;
  }

  #block(token: MarkedToken, indent: number): RichTextBlockElement[] {
    switch (token.type) {
      case 'heading':
        return this.#paragraph(this.#inline(token.tokens, { bold: true }));
      case 'paragraph':
        return this.#paragraph(this.#inline(token.tokens));
      case 'text':
        return this.#paragraph(this.#inline(token.tokens ?? [token]));
      case 'checkbox':
        return [section(this.#inline([token]))];
      case 'list':
        return this.#list(token, indent);
      case 'blockquote': {
        const elements = trimEnds(flat(this.blocks(token.tokens)));
        return elements.length === 0 ? [] : [{ type: 'rich_text_quote', elements }];
      }
      case 'code':
        return this.#preformatted(token.text);
      case 'table':
        return this.#preformatted(tableText(token));
      case 'hr':
        return this.#paragraph(this.#inline([{ type: 'text', raw: '───', text: '───' }]));
      default:
        return [];
    }
  }

  blocks(tokens: readonly Token[], indent = 0): RichTextBlockElement[] {
    let folded = 0;
    return asMarked(tokens).flatMap((token) => {
      if (this.isFull) return [];
      if (token.type !== 'html') return folded > 0 ? [] : this.#block(token, indent);
      const elements: RichTextElement[] = [];
      for (const part of withoutComments(token.raw).split(/(<\/?details(?:\s[^<>]*)?>)/iu)) {
        if (/^<details/iu.test(part)) folded += 1;
        else if (/^<\/details/iu.test(part)) folded = Math.max(0, folded - 1);
        else if (folded === 0) this.#html(elements, part, {});
        // of what is folded, only its title
        else if (folded === 1) this.#html(elements, /<summary>[^<]*<\/summary>/iu.exec(part)?.[0] ?? '', {});
      }
      return this.#paragraph(elements);
    });
  }
}

/** Without empty space at the ends. */
function trimEnds(elements: readonly RichTextElement[]): RichTextElement[] {
  const ends = elements.map((element, at) => {
    if (element.type !== 'text') return element;
    const text = at === 0 ? element.text.replace(/^\n+/u, '') : element.text;
    return { ...element, text: at === elements.length - 1 ? text.trimEnd() : text };
  });
  return ends.filter((element) => element.type !== 'text' || element.text !== '');
}

/** Blocks as lines, where Slack takes no blocks. */
function flat(blocks: readonly RichTextBlockElement[]): RichTextElement[] {
  return blocks.flatMap((block): RichTextElement[] => {
    if (block.type === 'rich_text_section') return block.elements;
    const offset = 'offset' in block ? Number(block.offset) : 0;
    if (block.type === 'rich_text_list')
      return block.elements.flatMap((item, at) => [
        {
          type: 'text',
          text: `${'  '.repeat(block.indent ?? 0)}${block.style === 'ordered' ? `${offset + at + 1}.` : '•'} `,
        },
        ...item.elements,
        { type: 'text', text: '\n' },
      ]);
    return [...block.elements, { type: 'text', text: '\n' }];
  });
}

function draw(markdown: string | null | undefined, max: number, page?: string | null): RichTextBlockElement[] {
  const whole = tidy(markdown ?? '');
  const source = cutSource(whole, read);
  const drawing = new Drawing(max, homeOf(page));
  const made = drawing.blocks(lex(source, max));
  return source === whole || drawing.isFull ? made : [...made, section([{ type: 'text', text: '…' }])];
}

/**
 * For messages that are not edited later: Slack never turns a rich_text block into another one.
 * `page` is the address of the item it belongs to.
 */
export function richBody(
  markdown: string | null | undefined,
  page?: string | null,
  max = 1200,
): RichTextBlock | undefined {
  const made = draw(markdown, max, page);
  return made.length === 0 ? undefined : { type: 'rich_text', elements: made };
}

/** The same as plain text, for previews and for cards that are updated. */
export function prettyBody(markdown: string | null | undefined, max = 300): string {
  const words = flat(draw(markdown, max)).map((element) => ('text' in element ? element.text : ''));
  return clip(words.join('').trim(), max);
}
