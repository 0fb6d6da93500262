import { createHash } from 'node:crypto';
import type { UpdateDelivery } from '../../feed/delivery.js';
import type { Event, RepoRef } from '../../feed/event.js';
import type { Style } from '../../feed/filter.js';
import { asRead, changed, completed, runGoesOn, type Standing } from '../../feed/standing.js';
import { plainJson, type ThreadMark } from '../../store/index.js';
import { context } from '../../view/blocks.js';
import { type Message, message } from '../../view/message.js';

/** What a card shows, stored with its thread. */
export interface About {
  readonly event: Event;
  readonly style: Style;
  readonly standing: Standing;
  /** The card says so for as long as it exists. */
  readonly repeat?: true;
}

export interface Card {
  readonly ts: string;
  readonly hash?: string;
  readonly about: About;
}

/** Detects whether a card would look different. */
export const hash = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);

const repeatRemark = 'Slack lost track of an earlier try: this may be a repeat.';

/** A message without blocks shows only its text, so the remark goes there. */
export const withRemark = ({ text, blocks }: Message): Message =>
  blocks.length === 0
    ? { text: `${text}\n${repeatRemark}`, blocks }
    : { text, blocks: message({ text, blocks: [...blocks, context([repeatRemark])] }).blocks };

/** A card stores what it needs to be redrawn, without a push's commits and long texts. */
export function slim(event: Event): Event {
  const clipped =
    'text' in event
      ? { ...event, text: event.text.slice(0, 400) }
      : 'words' in event && event.words !== undefined
        ? { ...event, words: event.words.slice(0, 400) }
        : event;
  return 'push' in clipped && clipped.push
    ? { ...clipped, push: { ...clipped.push, commits: clipped.push.commits.slice(0, 5) } }
    : clipped;
}

/** Updates a card after its repository was renamed or transferred. */
export function moved(event: Event, repo: RepoRef): Event {
  const { url } = event.item;
  const at = url.startsWith(`${event.repo.url}/`) ? `${repo.url}${url.slice(event.repo.url.length)}` : url;
  return event.repo.fullName === repo.fullName ? event : { ...event, repo, item: { ...event.item, url: at } };
}

export const loginsOf = ({ item, approvedBy = [], rejectedBy = [] }: Standing): string[] => [
  ...(item ? [...item.assignees, ...item.reviewers, ...(item.author ? [item.author.login] : [])] : []),
  ...approvedBy,
  ...rejectedBy,
];

/** A card's state after a change that is not an event. */
export function afterUpdate(before: Standing, { item, read, asOf, run, fixed, now }: UpdateDelivery): Standing {
  if (read !== undefined) return asRead(before, item, read, asOf);
  if (item) return (now ? changed : completed)(before, item);
  if (run) return runGoesOn(before, run);
  return fixed ? { ...before, fixedBy: fixed } : before;
}

/** A card with new data that is not redrawn yet. */
export const stillDrawn = (card: Card, item: string, more: Partial<About>): ThreadMark => ({
  item,
  ts: card.ts,
  about: plainJson({ ...card.about, ...more }),
  ...(card.hash !== undefined && { hash: card.hash }),
});
