import { z } from 'zod';
import { type Ground, type Place, placeName, readPlaceName } from './ground.js';
import type { Lease } from './lease.js';
import { type Aside, aside, type OutboxEntry } from './outbox-entry.js';
import * as scripts from './outbox-scripts.js';

const keepMs = 7 * 86_400_000;
/** The log has the rest. */
const mostAside = 200;

/** What Slack refuses leaves its channel's queue, so that the rest continues; it is kept and listed for a week. */
export function createAside(
  { redis, keys, now }: Pick<Ground, 'redis' | 'keys' | 'now'>,
  body: (place: Place) => readonly string[],
  write: (place: Place, value: OutboxEntry) => string,
) {
  const names = (place: Place) => [...body(place), keys.outboxAside(place), keys.channelLease(place)];
  const rowsOf = async (place: Place): Promise<(Aside & { readonly id: string })[]> =>
    Object.entries(await redis.hgetall(keys.outboxAside(place))).map(([id, text]) => ({ id, ...aside.decode(text) }));
  return {
    /** Entries already set aside once are not tried a third time. */
    async setAside(
      place: Place,
      token: Lease,
      {
        intent = '',
        entries,
        code,
        doubt,
      }: { intent?: string; entries: readonly OutboxEntry[]; code: string; doubt: boolean },
    ): Promise<boolean> {
      const known = await redis.hmget(keys.outboxAside(place), '', ...entries.map(({ id }) => id));
      const rows = entries.flatMap((each, at) => [
        each.id,
        aside.encode({ at: now(), code, entry: write(place, each), doubt: doubt && known[at + 1] === null }),
      ]);
      await redis.zadd(keys.outboxesAside(), now(), placeName(place));
      const done = await scripts.setAside(redis, names(place), [token, intent, keepMs, mostAside, ...rows]);
      return z.number().parse(done) === 1;
    },

    /** Never posted or retried: Bellows did not write them. */
    async refuse(place: Place, token: Lease, refused: readonly { id: string; text: string }[]): Promise<boolean> {
      const rows = refused.flatMap(({ id, text }) => [
        id,
        aside.encode({ at: now(), code: 'not_signed', entry: text.slice(0, 10_000), doubt: false }),
      ]);
      await redis.zadd(keys.outboxesAside(), now(), placeName(place));
      return (await scripts.setAside(redis, names(place), [token, '', keepMs, mostAside, ...rows])) === 1;
    },

    asideIn: rowsOf,

    /** The channel accepts messages again: what may have been Slack's fault is tried once more, after the others. */
    async revive(place: Place, token: Lease): Promise<number> {
      const doubtful = (await rowsOf(place)).filter(({ doubt }) => doubt).sort((a, b) => a.at - b.at);
      if (doubtful.length === 0) return 0;
      const rows = doubtful.flatMap(({ id, ...row }) => [id, row.entry, aside.encode({ ...row, doubt: false })]);
      await scripts.revive(redis, names(place), [token, ...rows]);
      return doubtful.length;
    },

    /** They were posted after all. */
    async unaside(place: Place, ids: readonly string[]): Promise<void> {
      if (ids.length > 0) await redis.hdel(keys.outboxAside(place), ...ids);
    },

    /** Channels where something was set aside in the last week. */
    async withAside(): Promise<Place[]> {
      await redis.zremrangebyscore(keys.outboxesAside(), '-inf', now() - keepMs);
      return (await redis.zrange(keys.outboxesAside(), '0', '-1')).map(readPlaceName);
    },
  };
}
