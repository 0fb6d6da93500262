import { type Poll, pollSource } from '../../feed/sources/poll.js';
import type { Polled } from '../../feed/sources/source.js';
import type { FeedDeps } from '../feed-deps.js';
import { withStuck } from '../stuck-watch.js';

/** Polls as the bot, or an inbox as its owner; undefined if that person is no longer linked. */
export async function pollAs(
  deps: FeedDeps,
  poll: Omit<Poll, 'now' | 'forgeNow' | 'listed'>,
): Promise<Polled | undefined> {
  const { as, has, service, now, forgeNow } = deps;
  const { source } = poll;
  const api = source.kind === 'inbox' ? await as(source) : service;
  if (!api) return undefined;
  const listed = source.kind !== 'inbox' || (await has('notifications.list'));
  const polled = await pollSource(api, { ...poll, listed, now: now(), forgeNow: forgeNow() });
  return withStuck(deps, poll, polled);
}
