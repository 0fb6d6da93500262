import type { Message, SandboxSlack } from '@bellows/sandbox/slack';
import { z } from 'zod';
import type { Deed } from './day.js';

export interface PostedDeed {
  readonly action: Deed;
  /** The message says that it may be a repeat. */
  readonly marked: boolean;
}

const Section = z.object({ type: z.literal('section'), text: z.object({ text: z.string() }) });

const words = [
  / (opened|closed) (?:issue |pull request )?<([^|>]+)\|/,
  / (commented) on (?:issue )?<([^|>]+)\|/,
  / (merged) (?:pull request )?<([^|>]+)\|/,
  / (pushed) <[^|>]+\.\.\.([0-9a-f]{40})\|/,
  / (failed) on .*<([^|>]+)\|run /,
];

/** Cards and lines of digests use the same words. */
function describeOperation(line: string): Deed[] {
  for (const pattern of words) {
    const [, word, what = ''] = pattern.exec(line) ?? [];
    if (word !== undefined) return [`${word} ${what.replace(/^https?:\/\/[^/]+/, '')}`];
  }
  return [];
}

/** What Slack rejected several times is sent as plain text. */
function linesOf({ text, blocks }: Message): string[] {
  if (blocks.length === 0) return text.split('\n');
  return blocks.flatMap((block) => {
    const read = Section.safeParse(block);
    return read.success ? read.data.text.text.split('\n') : [];
  });
}

function deedsIn(message: Message): PostedDeed[] {
  const marked = JSON.stringify(message).includes('may be a repeat');
  return linesOf(message)
    .flatMap(describeOperation)
    .map((action) => ({ action, marked }));
}

/** What was posted in the channel, in message order, including threads. */
export const postedIn = (slack: SandboxSlack, channel: string): PostedDeed[] =>
  slack.state
    .messages(channel)
    .toSorted((a, b) => (a.ts < b.ts ? -1 : 1))
    .flatMap(deedsIn);

/** Posted a second time without saying that it may be a repeat. */
export function unmarkedRepeats(posted: readonly PostedDeed[]): PostedDeed[] {
  const seen = new Set<string>();
  return posted.filter(({ action, marked }) => {
    const repeat = seen.has(action);
    seen.add(action);
    return repeat && !marked;
  });
}
