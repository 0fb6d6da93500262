import { z } from 'zod';
import { createSignatures } from './authentic.js';
import { type Ground, script, versionedCodec } from './ground.js';
import { claimDue } from './later.js';
import { type About, unseal } from './seal.js';

/** How much an answer knows: a better one replaces an earlier one, never the other way round. */
export const ranks = { unknown: 1, known: 2 } as const;
export type Rank = keyof typeof ranks;

/** An answer that can still be changed. */
const Stands = z.object({ channel: z.string(), ts: z.string() });
export type Stands = z.infer<typeof Stands>;
const stands = versionedCodec(Stands);

export interface KeptAnswer {
  readonly id: string;
  readonly rank: Rank;
  readonly tries: number;
  /** The best rank delivered so far. */
  readonly delivered: Rank | undefined;
  /** The rank that left for Slack; its process may have ended before Slack's answer. */
  readonly sent: Rank | undefined;
  readonly stands: Stands | undefined;
  /** The waiting line that is still there. */
  readonly line: Stands | undefined;
  /** As passed to `keep`; undefined once its key is gone. The caller validates it. */
  readonly content: unknown;
}

const lifeMs = 86_400_000;
const rankOf = (text: string | undefined): Rank | undefined =>
  text === '1' ? 'unknown' : text === '2' ? 'known' : undefined;

/** Answers, kept until delivered, in case Slack is down or the process dies. Sealed, as they may contain secrets. */
export function createAnswers(ground: Ground) {
  const { redis, forge, keys, seal, now } = ground;
  const signatures = createSignatures(ground, 'answer');
  /** A better answer replaces the message there, so nobody else may set that address. */
  const standing = (stored: string | undefined, ...id: readonly string[]): Stands | undefined => {
    const text = stored === undefined ? undefined : signatures.read(stored, ...id);
    return text === undefined ? undefined : stands.decode(text);
  };
  const about = (id: string): About => ['answer', forge, id];
  const keysOf = (id: string) => [keys.answer({ id }), keys.answersDue()];
  return {
    /** False if an answer that knows as much is already kept: that one counts. Others see it after `holdMs`. */
    async keep(id: string, rank: Rank, content: unknown, holdMs: number): Promise<boolean> {
      const text = seal.seal(JSON.stringify(content), about(id));
      return (await keep(redis, keysOf(id), [id, ranks[rank], text, now() + holdMs, lifeMs])) === 1;
    },

    /** True for the first caller that wants to say it takes longer, while there is no answer. */
    async wait(id: string): Promise<boolean> {
      return (await wait(redis, [keys.answer({ id })], [lifeMs])) === 1;
    },

    /** Where the waiting line stands. */
    async keepLine(id: string, at: Stands): Promise<void> {
      await keepLine(redis, [keys.answer({ id })], [signatures.sign(stands.encode(at), id, 'line')]);
    },

    rank: async (id: string): Promise<Rank | undefined> =>
      rankOf((await redis.hget(keys.answer({ id }), 'rank')) ?? undefined),

    async get(id: string): Promise<KeptAnswer | undefined> {
      const { rank: given, told, sent, tries, text, stands: at, line } = await redis.hgetall(keys.answer({ id }));
      const rank = rankOf(given);
      if (rank === undefined) return undefined;
      return {
        id,
        rank,
        tries: Number(tries ?? 0),
        delivered: rankOf(told),
        sent: rankOf(sent),
        stands: standing(at, id),
        line: standing(line, id, 'line'),
        content: text === undefined ? undefined : unseal(seal, text, about(id)),
      };
    },

    /** Claimed by this caller for `holdMs`. */
    due: (holdMs: number, limit = 50): Promise<readonly string[]> =>
      claimDue(redis, keys.answersDue(), { now: now(), until: now() + holdMs, limit }),

    /** It left for Slack with this rank; undefined: Slack refused it. */
    async recordSent(id: string, rank: Rank | undefined): Promise<void> {
      await sent(redis, [keys.answer({ id })], [rank === undefined ? '' : ranks[rank]]);
    },

    /** Not delivered or not known yet: checked again then. */
    async later(id: string, afterMs: number): Promise<void> {
      await later(redis, keysOf(id), [id, now() + afterMs]);
    },

    /** Delivered with this rank; a better one that came since is due at once. `lookMs`: when to check an unknown one again. */
    async recordDelivery(id: string, rank: Rank, at: Stands | undefined, lookMs?: number): Promise<void> {
      const next = lookMs === undefined ? '' : now() + lookMs;
      await delivered(redis, keysOf(id), [
        id,
        ranks[rank],
        at ? signatures.sign(stands.encode(at), id) : '',
        now(),
        next,
      ]);
    },
  };
}

// KEYS of each but wait, keepLine and sent: the answer, those that are due. ARGV[1]: the id.

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

const keepLine = script(`
if redis.call('EXISTS', KEYS[1]) == 1 then return redis.call('HSET', KEYS[1], 'line', ARGV[1]) end
return 0`);

// KEYS: the answer. ARGV: the rank, or nothing
const sent = script(`
if ARGV[1] == '' then return redis.call('HDEL', KEYS[1], 'sent') end
if redis.call('EXISTS', KEYS[1]) == 1 then return redis.call('HSET', KEYS[1], 'sent', ARGV[1]) end
return 0`);

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
