import { z } from 'zod';
import { claimDue } from './claim-due.js';
import type { Ground } from './ground.js';
import { script } from './script.js';
import { json, texts, versioned } from './value.js';

const SourceState = z.object({
  /** When it was last polled, and last answered successfully. */
  askedAt: z.int().optional(),
  answeredAt: z.int().optional(),
  /** When it last had something new. */
  newAt: z.int().optional(),
  tempoMs: z.int().optional(),
  error: z.string().optional(),
  /** Whether its owner's feed showed the last activity, as far as known. */
  told: z.boolean().optional(),
  /** How to poll it (names change, ids do not). */
  about: json.optional(),
});
export type SourceState = z.infer<typeof SourceState>;
const state = versioned(SourceState);

/** A source to poll now; `hold` proves on `schedule` that nobody has woken it since. */
export interface DueSource {
  readonly source: string;
  readonly hold: number;
}

/** Every polled source and when it is due next, shared by all workers. */
export function createSources({ redis, keys, now }: Ground) {
  const both = [keys.sourcesDue(), keys.sourcesState()];
  return {
    /** Due at once if it is new; the state of an existing source stays. */
    async ensure(source: string, about: SourceState['about']): Promise<boolean> {
      const text = state.encode(about === undefined ? {} : { about });
      return (await ensure(redis, both, [source, now(), text])) === 1;
    },

    async drop(source: string): Promise<void> {
      await drop(redis, both, [source]);
    },

    /** Each due source goes to one caller; one that is never rescheduled comes back after `holdMs`. */
    async claimDue(limit: number, holdMs: number): Promise<DueSource[]> {
      const hold = now() + holdMs;
      const claimed = await claimDue(redis, keys.sourcesDue(), { now: now(), until: hold, limit });
      return claimed.map((source) => ({ source, hold }));
    },

    /** Stores the result, and sets the next time unless the source was woken or dropped since it was claimed. */
    schedule: async ({ source, hold }: DueSource, at: number, value?: SourceState): Promise<boolean> =>
      (await schedule(redis, both, [source, hold, at, value ? state.encode(value) : ''])) === 1,

    /** Due now: a webhook said so, or a person is waiting. Returns the known ones. */
    async wake(...sources: readonly string[]): Promise<string[]> {
      return texts.parse(await wake(redis, [keys.sourcesDue()], [now(), ...sources]));
    },

    async note(source: string, value: SourceState): Promise<void> {
      await note(redis, both, [source, state.encode(value)]);
    },
    async get(source: string): Promise<SourceState | undefined> {
      const text = await redis.hget(keys.sourcesState(), source);
      return text === null ? undefined : state.decode(text);
    },

    count: (): Promise<number> => redis.zcard(keys.sourcesDue()),

    nextDueAt: async (): Promise<number | undefined> => {
      const [, score] = await redis.zrange(keys.sourcesDue(), '0', '0', 'WITHSCORES');
      return score === undefined ? undefined : Number(score);
    },

    async list(): Promise<{ source: string; dueAt: number; state: SourceState }[]> {
      const [due, states] = await Promise.all([
        redis.zrange(keys.sourcesDue(), '0', '-1', 'WITHSCORES'),
        redis.hgetall(keys.sourcesState()),
      ]);
      return due.flatMap((source, index) => {
        const text = states[source];
        return index % 2 === 1 || text === undefined
          ? []
          : [{ source, dueAt: Number(due[index + 1]), state: state.decode(text) }];
      });
    },
  };
}

const ensure = script(`
redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[3])
return redis.call('ZADD', KEYS[1], 'NX', ARGV[2], ARGV[1])`);

const drop = script(`
redis.call('HDEL', KEYS[2], ARGV[1])
return redis.call('ZREM', KEYS[1], ARGV[1])`);

const schedule = script(`
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not score then return 0 end
if ARGV[4] ~= '' then redis.call('HSET', KEYS[2], ARGV[1], ARGV[4]) end
if tonumber(score) ~= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
return 1`);

const wake = script(`
local known = {}
for i = 2, #ARGV do
  local score = redis.call('ZSCORE', KEYS[1], ARGV[i])
  if score then known[#known + 1] = ARGV[i] end
  if score and tonumber(score) > tonumber(ARGV[1]) then redis.call('ZADD', KEYS[1], ARGV[1], ARGV[i]) end
end
return known`);

const note = script(`
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) end
return 1`);
