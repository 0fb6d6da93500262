import { type Poll, pollSource } from '../feed/sources/poll.js';
import type { Polled } from '../feed/sources/source.js';
import type { FeedDeps } from './feed-deps.js';

/** Polled as the bot, an inbox as its person; undefined where that person is linked no longer. */
export async function pollAs(
  { as, has, service, now, forgeNow }: FeedDeps,
  poll: Omit<Poll, 'now' | 'forgeNow' | 'listed'>,
): Promise<Polled | undefined> {
  const { source } = poll;
  const api = source.kind === 'inbox' ? await as(source) : service;
  if (!api) return undefined;
  const listed = source.kind !== 'inbox' || (await has('notifications.list'));
  return pollSource(api, { ...poll, listed, now: now(), forgeNow: forgeNow() });
}
