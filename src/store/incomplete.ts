import { z } from 'zod';
import { type Ground, json, script, texts, versionedCodec } from './ground.js';

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
  const both = [keys.incompleteDue(), keys.incompleteSince()];
  const of = (item: string) => [...both, keys.incompleteItem({ item })];
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
      const claimed = texts.parse(await claim(redis, both, [now(), limit, firstMs, longestMs]));
      const items: IncompleteItem[] = [];
      for (let at = 0; at < claimed.length; at += 2) {
        const item = claimed[at] ?? '';
        items.push({ item, ageMs: now() - Number(claimed[at + 1]), rows: await rowsOf(item) });
      }
      return items;
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

/** ARGV: now, limit, first wait, longest wait. Each wait is as long as all previous ones together. */
const claim = script(`
local out = {}
for _, item in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])) do
  local since = redis.call('ZSCORE', KEYS[2], item) or ARGV[1]
  local wait = math.min(math.max(ARGV[1] - since, tonumber(ARGV[3])), tonumber(ARGV[4]))
  redis.call('ZADD', KEYS[1], ARGV[1] + wait, item)
  out[#out + 1] = item
  out[#out + 1] = since
end
return out`);

/** ARGV: item, ids. */
const removeItem = script(`
for i = 2, #ARGV do redis.call('HDEL', KEYS[3], ARGV[i]) end
if redis.call('EXISTS', KEYS[3]) == 1 then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
return redis.call('ZREM', KEYS[1], ARGV[1])`);
