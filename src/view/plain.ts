// A whole message as plain text, for readers other than Slack clients.
import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Message } from './message.js';
import { clean, clip, readable } from './text.js';

const longest = 16_000;

/** All of its text, with addresses; buttons are left out except those that open a page. */
export function wholeText({ blocks, text }: Message): string {
  const said = blocks.flatMap((block) => linesOf(block)).map((line) => line.trim());
  const whole = said.filter((line) => line !== '').join('\n') || readable(text);
  return clip(clean(whole), longest);
}

const withAddresses = (source: string) =>
  readable(source.replace(/<(https?:[^<>|]*)\|([^<>]*)>/g, (_all, url: string, label: string) => `${label} (${url})`));

function linesOf(block: KnownBlock): string[] {
  switch (block.type) {
    case 'header':
      return [block.text.text];
    case 'section': {
      const texts = [block.text, ...(block.fields ?? [])].filter((each) => each !== undefined);
      return [...texts.map(wordsOf), ...(block.accessory ? openAddresses([block.accessory]) : [])];
    }
    case 'context':
      return [block.elements.flatMap((part) => (part.type === 'image' ? [] : [wordsOf(part)])).join(' ')];
    case 'rich_text':
      return block.elements.map((part) => richWords(part));
    case 'actions':
      return openAddresses(block.elements);
    default:
      return [];
  }
}

const wordsOf = (part: { readonly type: string; readonly text: string }) =>
  part.type === 'mrkdwn' ? withAddresses(part.text) : part.text;

const Opening = z.object({ url: z.string(), text: z.object({ text: z.string() }) });

const openAddresses = (elements: readonly unknown[]) =>
  elements.flatMap((element) => {
    const read = Opening.safeParse(element);
    return read.success ? [`${read.data.text.text}: ${read.data.url}`] : [];
  });

const Leaf = z.object({ type: z.string(), text: z.string().optional(), url: z.string().optional() });
const Branch = z.object({ type: z.string(), elements: z.array(z.unknown()) });

function richWords(part: unknown): string {
  const branch = Branch.safeParse(part);
  if (branch.success)
    return branch.data.elements.map(richWords).join(branch.data.type === 'rich_text_list' ? '\n' : '');
  const { text = '', url } = Leaf.safeParse(part).data ?? {};
  return url === undefined || url === text ? (url ?? text) : `${text} (${url})`;
}
