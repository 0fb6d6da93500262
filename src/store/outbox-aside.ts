import { z } from 'zod';
import { type Ground, type Place, placeName, readPlaceName } from './ground.js';
import type { Lease } from './lease.js';
import { type Aside, aside, entry, type OutboxEntry } from './outbox-entry.js';
import * as scripts from './outbox-scripts.js';

const keepMs = 7 * 86_400_000;
/** The log has the rest. */
const mostAside = 200;

/** Why an entry was set aside whose worker kept dying; a channel that accepts others says nothing about it. */
export const stoppedTheWorker = 'stopped_the_worker';

/** About half a day. */
const mostRetries = 50;
const retryAfter = (asides: number): number => Math.min(15, 2 ** asides) * 60_000;

/** What Slack refuses leaves its channel's queue, so that the rest continues; it is kept and listed for a week. */
export function createAside(
  { redis, keys, now }: Pick<Ground, 'redis' | 'keys' | 'now'>,
  body: (place: Place) => readonly string[],
) {
  const names = (place: Place) => [...body(place), keys.outboxAside(place), keys.channelLease(place)];
  const rowsOf = async (place: Place): Promise<(Aside & { readonly id: string })[]> =>
    Object.entries(await redis.hgetall(keys.outboxAside(place))).map(([id, text]) => ({ id, ...aside.decode(text) }));
  return {
    /** `retry`: it may not be the message's fault, so it is tried again later, in its old place. */
    async setAside(
      place: Place,
      token: Lease,
      {
        intent = '',
        entries,
        code,
        retry,
      }: { intent?: string; entries: readonly OutboxEntry[]; code: string; retry: boolean },
    ): Promise<boolean> {
      const seqs = await Promise.all(entries.map(({ id }) => redis.zscore(keys.outboxOrder(place), id)));
      const rows = entries.flatMap((each, at) => {
        const asides = (each.asides ?? 0) + 1;
        const seq = seqs[at];
        const row = {
          at: now(),
          code,
          asides,
          entry: entry.encode({ ...each, asides }),
          ...(seq && { seq: Number(seq) }),
          ...(retry && asides <= mostRetries && { retryAt: now() + retryAfter(asides) }),
        };
        return [each.id, aside.encode(row)];
      });
      await redis.zadd(keys.outboxesAside(), now(), placeName(place));
      const done = await scripts.setAside(redis, names(place), [token, intent, keepMs, mostAside, ...rows]);
      return z.number().parse(done) === 1;
    },

    asideIn: rowsOf,

    /** Whether something there is to be tried again now. */
    isRetryDue: async (place: Place): Promise<boolean> =>
      (await rowsOf(place)).some(({ retryAt }) => retryAt !== undefined && retryAt <= now()),

    /** Returns what is due to its old place in the queue; what was set aside once also if the channel just accepted a message. */
    async revive(place: Place, token: Lease, accepts = false): Promise<number> {
      const due = (await rowsOf(place)).filter(
        ({ retryAt, asides, code }) =>
          retryAt !== undefined && (retryAt <= now() || (accepts && asides === 1 && code !== stoppedTheWorker)),
      );
      if (due.length === 0) return 0;
      const rows = due.flatMap(({ id, seq, entry }) => [id, seq ?? '', entry]);
      return z.number().parse(await scripts.revive(redis, names(place), [token, ...rows]));
    },

    /** Channels where something was set aside in the last week. */
    async withAside(): Promise<Place[]> {
      await redis.zremrangebyscore(keys.outboxesAside(), '-inf', now() - keepMs);
      return (await redis.zrange(keys.outboxesAside(), '0', '-1')).map(readPlaceName);
    },
  };
}
