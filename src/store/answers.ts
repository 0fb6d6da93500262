import { z } from 'zod';
import { createSignatures } from './authentic.js';
import { claimDue } from './claim-due.js';
import type { Ground } from './ground.js';
import { script } from './script.js';
import { type About, unsealed } from './seal.js';
import { versioned } from './value.js';

/** How much an answer knows: a better one takes the place of an earlier, never the other way round. */
export const ranks = { unknown: 1, known: 2 } as const;
export type Rank = keyof typeof ranks;

/** Where an answer stands that can still be changed. */
const Stands = z.object({ channel: z.string(), ts: z.string() });
export type Stands = z.infer<typeof Stands>;
const stands = versioned(Stands);

export interface KeptAnswer {
  readonly id: string;
  readonly rank: Rank;
  readonly tries: number;
  /** The best rank that was told so far. */
  readonly delivered: Rank | undefined;
  readonly stands: Stands | undefined;
  /** As it was given to `keep`; undefined once its key is gone. The caller validates it. */
  readonly content: unknown;
}

const ONE_DAY_MS = 86_400_000;
const rankOf = (text: string | undefined): Rank | undefined =>
  text === '1' ? 'unknown' : text === '2' ? 'known' : undefined;

/** Answers to people, kept until they were told: Slack may be away, and the process may be killed. Sealed, as they may hold secrets. */
export function createAnswers(ground: Ground) {
  const { redis, forge, keys, seal, now } = ground;
  const signatures = createSignatures(ground, 'answer');
  /** A better answer takes its place there, so nobody else may say where that is. */
  const standing = (id: string, stored: string | undefined): Stands | undefined => {
    const text = stored === undefined ? undefined : signatures.read(stored, id);
    return text === undefined ? undefined : stands.decode(text);
  };
  const about = (id: string): About => ['answer', forge, id];
  const keysOf = (id: string) => [keys.answer({ id }), keys.answersDue()];
  return {
    /** False where an answer that knows as much is kept already: that one counts. Others see it after `holdMs`. */
    async keep(id: string, rank: Rank, content: unknown, holdMs: number): Promise<boolean> {
      const text = seal.seal(JSON.stringify(content), about(id));
      return (await keep(redis, keysOf(id), [id, ranks[rank], text, now() + holdMs, ONE_DAY_MS])) === 1;
    },

    /** True for the first who wants to say that it takes longer, while no answer is kept. */
    async wait(id: string): Promise<boolean> {
      return (await wait(redis, [keys.answer({ id })], [ONE_DAY_MS])) === 1;
    },

    rank: async (id: string): Promise<Rank | undefined> =>
      rankOf((await redis.hget(keys.answer({ id }), 'rank')) ?? undefined),

    async get(id: string): Promise<KeptAnswer | undefined> {
      const { rank: given, told, tries, text, stands: at } = await redis.hgetall(keys.answer({ id }));
      const rank = rankOf(given);
      if (rank === undefined) return undefined;
      return {
        id,
        rank,
        tries: Number(tries ?? 0),
        delivered: rankOf(told),
        stands: standing(id, at),
        content: text === undefined ? undefined : unsealed(seal, text, about(id)),
      };
    },

    /** What nobody else looks at for `holdMs` from now. */
    due: (holdMs: number, limit = 50): Promise<readonly string[]> =>
      claimDue(redis, keys.answersDue(), { now: now(), until: now() + holdMs, limit }),

    /** Not told yet, or not known yet: looked at again then. */
    async later(id: string, afterMs: number): Promise<void> {
      await later(redis, keysOf(id), [id, now() + afterMs]);
    },

    /** Told as this rank; where a better one came in the meantime that one is due at once. `lookMs`: when to look again at what is unknown. */
    async delivered(id: string, rank: Rank, at: Stands | undefined, lookMs?: number): Promise<void> {
      const next = lookMs === undefined ? '' : now() + lookMs;
      await delivered(redis, keysOf(id), [
        id,
        ranks[rank],
        at ? signatures.sign(stands.encode(at), id) : '',
        now(),
        next,
      ]);
    },

    /** How many wait for Slack, or for what became of them. */
    waiting: (): Promise<number> => redis.zcard(keys.answersDue()),
  };
}

// KEYS of each but wait: the answer, those that are due. ARGV[1]: the id.

const keep = script(`
local rank = tonumber(redis.call('HGET', KEYS[1], 'rank') or '0')
if rank >= tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], 'rank', ARGV[2], 'text', ARGV[3], 'tries', '0')
redis.call('PEXPIRE', KEYS[1], ARGV[5])
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
return 1`);

const wait = script(`
if redis.call('HEXISTS', KEYS[1], 'rank') == 1 then return 0 end
if redis.call('HSETNX', KEYS[1], 'waits', '1') == 0 then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[1])`);

const later = script(`
if redis.call('EXISTS', KEYS[1]) == 0 then return redis.call('ZREM', KEYS[2], ARGV[1]) end
redis.call('HINCRBY', KEYS[1], 'tries', 1)
return redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])`);

const delivered = script(`
local rank = redis.call('HGET', KEYS[1], 'rank')
if not rank then return redis.call('ZREM', KEYS[2], ARGV[1]) end
redis.call('HSET', KEYS[1], 'told', ARGV[2], 'tries', '0')
if ARGV[3] ~= '' then redis.call('HSET', KEYS[1], 'stands', ARGV[3]) end
if rank ~= ARGV[2] then return redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1]) end
if ARGV[5] ~= '' then return redis.call('ZADD', KEYS[2], ARGV[5], ARGV[1]) end
redis.call('HDEL', KEYS[1], 'text')
return redis.call('ZREM', KEYS[2], ARGV[1])`);
