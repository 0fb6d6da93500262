import type { Button, KnownBlock } from '@slack/types';
import { actions, type Blocks, context, section } from './blocks.js';
import { limits } from './limits.js';
import { clean, clip, entities, Mrkdwn, readable } from './text.js';

/** Everything that is posted: blocks to look at, text for notifications and screen readers. */
export interface Message {
  readonly text: string;
  readonly blocks: KnownBlock[];
}

export interface MessageOptions {
  /** Default: taken from the first blocks. */
  readonly text?: Mrkdwn | string | undefined;
  readonly blocks: Blocks;
}

export function message(options: MessageOptions): Message {
  const blocks = whatFits(options.blocks, limits.message.blocks, limits.message.characters);
  const said = options.text instanceof Mrkdwn ? options.text.plain : options.text;
  return { text: fallback(said?.trim() || gist(blocks)), blocks };
}

/** The same text with other blocks: it is already escaped and stays unchanged. */
export function withBlocks(said: Message, blocks: Blocks): Message {
  return { text: said.text, blocks: whatFits(blocks, limits.message.blocks, limits.message.characters) };
}

/** One sentence, and buttons if there are any. */
export function say(text: Mrkdwn, ...buttons: readonly (Button | undefined)[]): Message {
  return message({ text, blocks: [section(text), actions(...buttons)] });
}

// Slack parses this text too, so it is escaped like any other.
function fallback(text: string): string {
  return entities(clip(clean(text).trim(), limits.message.text)) || 'A message from the forge';
}

/** What the first blocks say, up to the first full sentence of a section. */
function gist(blocks: readonly KnownBlock[]): string {
  const said: string[] = [];
  for (const block of blocks) {
    const words = wordsOf(block).trim();
    if (words !== '') said.push(words);
    if (said.length > 0 && block.type !== 'header') break;
  }
  return clip(said.join(': '), 1000);
}

// Code first: an asterisk in it is not a mark. Nor is one inside a word, in Slack either.
const marks = /(`[^`]*`)|(?<![\p{L}\p{N}*])\*(?!\s)([^*\n]+)(?<!\s)\*(?![\p{L}\p{N}*])/gu;

const wordsIn = (source: string) =>
  readable(source).replace(marks, (_all, code?: string, strong?: string) => code ?? strong ?? '');

function wordsOf(block: KnownBlock): string {
  switch (block.type) {
    case 'header':
      return block.text.text;
    case 'section': {
      const text = block.text ?? block.fields?.[0];
      return text?.type === 'mrkdwn' ? wordsIn(text.text) : (text?.text ?? '');
    }
    case 'context':
      return block.elements.map((part) => (part.type === 'mrkdwn' ? wordsIn(part.text) : '')).join(' ');
    case 'rich_text':
      return strings(block).join('');
    default:
      return '';
  }
}

/** The strings a reader or Slack gets, without the format's own keywords. */
function strings(value: unknown, key = ''): string[] {
  if (typeof value === 'string') return key === 'type' ? [] : [value];
  if (Array.isArray(value)) return value.flatMap((entry) => strings(entry));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, entry]) => strings(entry, name));
}

/** Slack counts characters over all blocks of a message; to be safe, every string is counted. */
export function weight(blocks: Blocks): number {
  return strings(blocks).reduce((sum, text) => sum + text.length, 0);
}

const leftOut = 'The rest is too long for one message.';

/** As many whole blocks as fit, in order; buttons are kept before text, and what is missing is mentioned. */
export function whatFits(blocks: Blocks, most: number, characters: number): KnownBlock[] {
  const present = blocks.filter((block) => block !== undefined);
  if (present.length <= most && weight(present) <= characters) return present;
  const notice = context([leftOut]);
  let room = characters - weight([notice]);
  let places = most - 1;
  const take = (block: KnownBlock): boolean => {
    const cost = weight([block]);
    if (places < 1 || cost > room) return false;
    places -= 1;
    room -= cost;
    return true;
  };
  const buttons = new Set<KnownBlock>(present.filter((block) => block.type === 'actions').filter(take));
  const firstOut = present.findIndex((block) => block.type !== 'actions' && !take(block));
  const cut = firstOut === -1 ? present.length : firstOut;
  const head = present.slice(0, cut).filter((block) => block.type !== 'actions' || buttons.has(block));
  const tail = present.slice(cut).filter((block) => buttons.has(block));
  return [...head, ...(notice ? [notice] : []), ...tail];
}
