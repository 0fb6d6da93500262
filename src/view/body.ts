// A forge's Markdown as rich text made of literal elements: nothing in it can become a mention.
import type { RichTextBlock, RichTextBlockElement, RichTextElement, RichTextSection } from '@slack/types';
import { clean, clip, honestLabel, webUrl } from './text.js';

const read = 12_000;
const tags =
  'a|abbr|b|big|blockquote|br|center|code|dd|del|details|div|dl|dt|em|font|h[1-6]|hr|i|img|input|ins|kbd|li|mark|ol|p|picture|pre|s|small|source|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|u|ul|video';
const anyTag = new RegExp(`</?(?:${tags})(?:\\s[^<>]*)?/?>`, 'giu');

/** Removes template comments, folded details and tags; collapses empty lines. */
function tidy(markdown: string): string {
  return clean(markdown.slice(0, read * 8).replace(/<!--[\s\S]*?(?:-->|$)/gu, ''))
    .slice(0, read)
    .replace(/<summary>([^<]*)<\/summary>/giu, '$1\n')
    .replace(/<details(?:\s[^<>]*)?>([^\n]*\n?[^\n]*)[\s\S]*?(?:<\/details>|$)/giu, '$1\n')
    .replace(/<br\s*\/?>/giu, '\n')
    .replace(anyTag, '')
    .replace(/<(https?:\/\/[^\s<>]+)>/giu, '$1')
    .replace(/[ \u{00A0}]+$/gmu, '')
    .replace(/\n{3,}/gu, '\n\n')
    .trim();
}

const inline = /`([^`\n]+)`|!\[([^\]\n]*)\]\(([^)\s]*)[^)\n]*\)|\[([^\]\n]+)\]\(([^)\s]*)[^)\n]*\)|\*\*([^*\n]+)\*\*/gu;

function elements(text: string, bold = false): RichTextElement[] {
  const made: RichTextElement[] = [];
  const style = bold ? { style: { bold } } : {};
  const words = (value: string): void => {
    if (value !== '') made.push({ type: 'text', text: value, ...style });
  };
  let at = 0;
  for (const found of text.matchAll(inline)) {
    words(text.slice(at, found.index));
    at = found.index + found[0].length;
    const [, code, alt, , label, target, strong] = found;
    const url = target === undefined ? undefined : webUrl(target);
    if (code !== undefined) made.push({ type: 'text', text: code, style: { code: true } });
    else if (strong !== undefined) made.push({ type: 'text', text: strong, style: { bold: true } });
    else if (label !== undefined && url !== undefined)
      made.push({ type: 'link', url, text: honestLabel(label, url), ...style });
    else words(label ?? `[image${alt ? `: ${alt}` : ''}]`);
  }
  words(text.slice(at));
  return made;
}

function section(parts: RichTextElement[]): RichTextSection {
  return { type: 'rich_text_section', elements: parts };
}

const listItem = /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s+(?:\[([ xX])\]\s+)?(.*)$/u;

function blockOf(line: string): RichTextBlockElement | undefined {
  const title = /^\s{0,3}#{1,6}\s+(.*?)\s*#*$/u.exec(line)?.[1];
  if (title) return section(elements(`${title}\n`, true));
  const item = listItem.exec(line);
  if (item?.[4]) {
    const [, space = '', number, ticked, text = ''] = item;
    const box = ticked === undefined ? '' : ticked === ' ' ? '☐ ' : '☑ ';
    const style = number === undefined ? 'bullet' : 'ordered';
    const indent = Math.min(8, Math.floor(space.length / 2));
    return { type: 'rich_text_list', style, indent, elements: [section(elements(box + text))] };
  }
  const quoted = /^\s{0,3}>\s?(.*\S.*)$/u.exec(line)?.[1];
  if (quoted) return { type: 'rich_text_quote', elements: elements(quoted) };
  return line.trim() === '' ? undefined : section(elements(`${line}\n`));
}

function parse(markdown: string, max: number): RichTextBlockElement[] {
  const made: RichTextBlockElement[] = [];
  let fence: string[] | undefined;
  const close = (): void => {
    const text = fence?.join('\n').trimEnd();
    if (text) made.push({ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] });
    fence = undefined;
  };
  for (const line of clip(tidy(markdown), max).split('\n')) {
    if (/^\s{0,3}(?:```|~~~)/u.test(line)) {
      if (fence === undefined) fence = [];
      else close();
    } else if (fence !== undefined) fence.push(line);
    else add(made, blockOf(line));
  }
  close();
  return made;
}

function add(made: RichTextBlockElement[], next: RichTextBlockElement | undefined): void {
  const last = made.at(-1);
  const lists = last?.type === 'rich_text_list' && next?.type === 'rich_text_list';
  if (lists && last.style === next.style && last.indent === next.indent) last.elements.push(...next.elements);
  else if (next !== undefined) made.push(next);
}

/** For messages that are not edited later: Slack never turns a rich_text block into another one. */
export function richBody(markdown: string | null | undefined, max = 1200): RichTextBlock | undefined {
  const made = parse(markdown ?? '', max);
  return made.length === 0 ? undefined : { type: 'rich_text', elements: made };
}

/** The same as plain text, for previews and for cards that are updated. */
export function prettyBody(markdown: string | null | undefined, max = 300): string {
  const lines = parse(markdown ?? '', max).flatMap((element) =>
    element.type === 'rich_text_list' ? element.elements.map((item) => `• ${wordsOf(item)}`) : [wordsOf(element)],
  );
  return clip(lines.join('\n'), max);
}

function wordsOf(block: Exclude<RichTextBlockElement, { type: 'rich_text_list' }>): string {
  return block.elements
    .map((element) => ('text' in element ? element.text : ''))
    .join('')
    .trimEnd();
}
