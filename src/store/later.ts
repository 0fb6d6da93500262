import type { z } from 'zod';
import { type Forged, type Ground, script, texts } from './ground.js';
import type { Connection } from './redis.js';
import { type About, unopenable, unseal } from './seal.js';

interface Claim {
  readonly now: number;
  /** Whatever its claimer leaves undone is due again then. */
  readonly until: number;
  readonly limit: number;
}

/** What is due, each for one caller: the earliest members of a sorted set of times. */
export async function claimDue(redis: Connection, key: string, { now, until, limit }: Claim): Promise<string[]> {
  // nothing is due most of the time, and a plain read costs least
  const first = await redis.zrangebyscore(key, '-inf', now, 'LIMIT', 0, 1);
  return first.length === 0 ? [] : texts.parse(await claim(redis, [key], [now, until, limit]));
}

const claim = script(`
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
for _, member in ipairs(due) do redis.call('ZADD', KEYS[1], ARGV[2], member) end
return due`);

/** Often at first, then less the longer it takes; from one turn to half a minute. */
export const nextLookMs = (lastedMs: number, everyMs: number): number =>
  Math.min(30_000, Math.max(everyMs, lastedMs / 10));

interface Due<T> {
  readonly id: string;
  readonly value: T;
}

/** Empty text: there is none. */
interface Stored<T> {
  readonly text: string;
  readonly value: T | undefined;
}

interface LaterOptions<T> {
  readonly word: Forged['kind'];
  readonly schema: z.ZodType<T>;
  readonly keys: [string, string];
}

/** Records that one of all workers checks again later. Sealed: they say as whom the forge is asked. */
export function createLater<T>({ redis, forge, seal, now, alarm }: Ground, { word, schema, keys }: LaterOptions<T>) {
  const [all, times] = keys;
  const about = (id: string): About => [word, forge, id];

  /** With the text it is stored as, for `swap`. */
  async function read(id: string): Promise<Stored<T>> {
    const text = (await redis.hget(all, id)) ?? '';
    const found = schema.safeParse(text === '' ? undefined : unseal(seal, text, about(id)));
    return { text, value: found.success ? found.data : undefined };
  }

  return {
    async put(id: string, value: T, afterMs: number): Promise<void> {
      await put(redis, [all, times], [id, seal.seal(JSON.stringify(value), about(id)), now() + afterMs]);
    },

    get: async (id: string): Promise<T | undefined> => (await read(id)).value,

    /** Claimed by this caller for `holdMs`. */
    async due(holdMs: number, limit = 20): Promise<readonly Due<T>[]> {
      const ids = await claimDue(redis, times, { now: now(), until: now() + holdMs, limit });
      const found = await Promise.all(
        ids.map(async (id) => {
          const text = await redis.hget(all, id);
          const value = text === null ? undefined : unseal(seal, text, about(id));
          if (text !== null && value === undefined) alarm({ kind: word, id, reason: unopenable });
          const read = schema.safeParse(value);
          if (read.success) return [{ id, value: read.data }];
          await drop(redis, [all, times], [id]);
          return [];
        }),
      );
      return found.flat();
    },

    async drop(id: string): Promise<void> {
      await drop(redis, [all, times], [id]);
    },

    read,

    /** Only if it is still stored as this text; of several callers at once, one succeeds. No next: it is dropped. */
    async swap(id: string, { text }: Pick<Stored<T>, 'text'>, next?: T, afterMs = 0): Promise<boolean> {
      const row = next === undefined ? '' : seal.seal(JSON.stringify(next), about(id));
      return (await swapRow(redis, [all, times], [id, text, row, now() + afterMs])) === 1;
    },
  };
}

// KEYS: the records, when each is due. ARGV[1]: the id.

const put = script(`
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])`);

const drop = script(`
redis.call('HDEL', KEYS[1], ARGV[1])
return redis.call('ZREM', KEYS[2], ARGV[1])`);

/** ARGV: the id, what is expected there, what follows, when it is due; an empty one: nothing, none, as it is. */
export const swapRow = script(`
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('ZREM', KEYS[2], ARGV[1])
  return 1
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
if ARGV[4] ~= '' then redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1]) end
return 1`);
