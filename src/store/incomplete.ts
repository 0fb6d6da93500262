import { z } from 'zod';
import { type Ground, json, script, versionedCodec } from './ground.js';
import { claimDue } from './later.js';

const Row = z.object({
  /** The event's own id. */
  id: z.string(),
  source: z.string(),
  /** As the feed wrote them; the feed knows their shapes. */
  about: json,
  event: json,
});
export type IncompleteRow = z.infer<typeof Row>;
const row = versionedCodec(Row);

export interface IncompleteItem {
  readonly item: string;
  /** Since its first event could not be completed. */
  readonly ageMs: number;
  readonly rows: readonly IncompleteRow[];
}

const firstMs = 5_000;
const longestMs = 600_000;
const lifeMs = 2 * 86_400_000;
/** Further ones are posted as they are and not completed. */
const mostItems = 10_000;
const mostRows = 200;

/** Events whose item could not be read: posted with what they contain, completed later. */
export function createIncomplete({ redis, keys, now }: Ground) {
  const of = (item: string) => [keys.incompleteDue(), keys.incompleteSince(), keys.incompleteItem({ item })];
  /** A hash has no order, so each row starts with its arrival time. */
  const rowsOf = async (item: string): Promise<IncompleteRow[]> =>
    (await redis.hvals(keys.incompleteItem({ item })))
      .toSorted()
      .map((text) => row.decode(text.slice(text.indexOf(' ') + 1)));
  return {
    /** False if there are too many already. */
    add: async (item: string, added: IncompleteRow): Promise<boolean> =>
      (await add(redis, of(item), [
        ...[item, added.id, row.encode(added)],
        ...[now(), firstMs, lifeMs, mostItems, mostRows],
      ])) === 1,

    /** The due ones, each for one caller; retried less and less often until done. */
    async due(limit: number): Promise<IncompleteItem[]> {
      const at = now();
      const items = await claimDue(redis, keys.incompleteDue(), { now: at, until: at + longestMs, limit });
      return Promise.all(
        items.map(async (item) => {
          const since = Number((await redis.zscore(keys.incompleteSince(), item)) ?? at);
          // each wait is as long as all previous ones together
          const waitMs = Math.min(Math.max(at - since, firstMs), longestMs);
          await redis.zadd(keys.incompleteDue(), 'XX', at + waitMs, item);
          return { item, ageMs: at - since, rows: await rowsOf(item) };
        }),
      );
    },

    /** Events waiting for these items, oldest first. */
    async waiting(items: readonly string[]): Promise<IncompleteRow[]> {
      if (items.length === 0 || (await redis.zcard(keys.incompleteDue())) === 0) return [];
      return (await Promise.all(items.map(rowsOf))).flat();
    },

    remove: async (item: string, ids: readonly string[]): Promise<void> =>
      void (await removeItem(redis, of(item), [item, ...ids])),
    count: (): Promise<number> => redis.zcard(keys.incompleteDue()),
  };
}

// KEYS: due, since, the item's events

/** ARGV: item, id, row, now, first wait, life, most items, most rows. */
const add = script(`
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[7]) then return 0 end
if redis.call('HLEN', KEYS[3]) >= tonumber(ARGV[8]) then return 0 end
local came = string.format('%015d-%03d', ARGV[4], redis.call('HLEN', KEYS[3]))
redis.call('HSETNX', KEYS[3], ARGV[2], came .. ' ' .. ARGV[3])
redis.call('PEXPIRE', KEYS[3], ARGV[6])
redis.call('ZADD', KEYS[1], 'NX', ARGV[4] + ARGV[5], ARGV[1])
redis.call('ZADD', KEYS[2], 'NX', ARGV[4], ARGV[1])
return 1`);

/** ARGV: item, ids. */
const removeItem = script(`
for i = 2, #ARGV do redis.call('HDEL', KEYS[3], ARGV[i]) end
if redis.call('EXISTS', KEYS[3]) == 1 then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
return redis.call('ZREM', KEYS[1], ARGV[1])`);
