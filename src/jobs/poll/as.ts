import { type Poll, pollSource } from '../../feed/sources/poll.js';
import type { Polled } from '../../feed/sources/source.js';
import type { FeedDeps } from '../feed-deps.js';
import { withStuck } from '../stuck-watch.js';

/** Polled as the bot, an inbox as its person; undefined where that person is linked no longer. */
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
