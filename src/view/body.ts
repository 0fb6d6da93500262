// A forge's Markdown as rich text made of literal elements: nothing in it can become a mention.
import type { RichTextBlock, RichTextBlockElement, RichTextElement, RichTextSection } from '@slack/types';
import { clean, clip } from './clean.js';
import { webUrl } from './text.js';

const read = 12_000;
const tags =
  'a|abbr|b|big|blockquote|br|center|code|dd|del|details|div|dl|dt|em|font|h[1-6]|hr|i|img|input|ins|kbd|li|mark|ol|p|picture|pre|s|small|source|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|u|ul|video';
const anyTag = new RegExp(`</?(?:${tags})(?:\\s[^<>]*)?/?>`, 'giu');

/** Comments of templates, folded details and tags go; runs of empty lines become one. */
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
    else if (label !== undefined && url !== undefined) made.push({ type: 'link', url, text: label, ...style });
    else words(label ?? `[image${alt ? `: ${alt}` : ''}]`);
  }
  words(text.slice(at));
  return made;
}

function section(parts: RichTextElement[]): RichTextSection {
  return { type: 'rich_text_section', elements: parts };
}

const listItem = /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s+(?:\[([ xX])\]\s+)?(.*)$/u;

interface Made {
  readonly element: RichTextBlockElement;
  readonly words: string;
}

function blockOf(line: string): Made | undefined {
  const title = /^\s{0,3}#{1,6}\s+(.*?)\s*#*$/u.exec(line)?.[1];
  if (title) return { element: section(elements(`${title}\n`, true)), words: title };
  const item = listItem.exec(line);
  if (item?.[4]) {
    const [, space = '', number, ticked, text = ''] = item;
    const box = ticked === undefined ? '' : ticked === ' ' ? '☐ ' : '☑ ';
    const style = number === undefined ? 'bullet' : 'ordered';
    const indent = Math.min(8, Math.floor(space.length / 2));
    const entry = section(elements(box + text));
    return { element: { type: 'rich_text_list', style, indent, elements: [entry] }, words: `• ${box}${text}` };
  }
  const quoted = /^\s{0,3}>\s?(.*\S.*)$/u.exec(line)?.[1];
  if (quoted) return { element: { type: 'rich_text_quote', elements: elements(quoted) }, words: quoted };
  return line.trim() === '' ? undefined : { element: section(elements(`${line}\n`)), words: line };
}

function parse(markdown: string, max: number): { elements: RichTextBlockElement[]; words: string[] } {
  const made: RichTextBlockElement[] = [];
  const words: string[] = [];
  let fence: string[] | undefined;
  const close = (): void => {
    const text = fence?.join('\n').trimEnd();
    fence = undefined;
    if (!text) return;
    made.push({ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] });
    words.push(text);
  };
  for (const line of clip(tidy(markdown), max).split('\n')) {
    if (/^\s{0,3}(?:```|~~~)/u.test(line)) {
      if (fence === undefined) fence = [];
      else close();
    } else if (fence !== undefined) fence.push(line);
    else {
      const found = blockOf(line);
      if (found === undefined) continue;
      words.push(found.words);
      const last = made.at(-1);
      const { element } = found;
      const joins = last?.type === 'rich_text_list' && element.type === 'rich_text_list';
      if (joins && last.style === element.style && last.indent === element.indent)
        last.elements.push(...element.elements);
      else made.push(element);
    }
  }
  close();
  return { elements: made, words };
}

/** For messages that are not edited later: Slack never turns a rich_text block into another one. */
export function richBody(markdown: string | null | undefined, max = 1200): RichTextBlock | undefined {
  const { elements: made } = parse(markdown ?? '', max);
  return made.length === 0 ? undefined : { type: 'rich_text', elements: made };
}

/** The same as plain words, for one-line previews and updated cards. */
export function prettyBody(markdown: string | null | undefined, max = 300): string {
  const text = parse(markdown ?? '', max).words.join('\n');
  return clip(text.replace(/\[([^\]\n]+)\]\([^)\n]*\)/gu, '$1').replaceAll('**', ''), max);
}
