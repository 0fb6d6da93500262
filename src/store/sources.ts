import { z } from 'zod';
import { type Ground, json, script, texts, versionedCodec } from './ground.js';

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
const state = versionedCodec(SourceState);

/** What a poll's result means for the next one. */
export interface NextPoll {
  readonly at: number;
  /** Not before this time, even when a webhook or a person wakes it. */
  readonly heldUntil?: number | undefined;
  /** What woke it was not read yet: it keeps its place among the woken ones. */
  readonly again?: boolean | undefined;
  readonly state?: SourceState | undefined;
}

/** A source to poll now; `hold` proves on `schedule` that nobody has woken it since. */
export interface DueSource {
  readonly source: string;
  readonly hold: number;
}

export interface SourceLags {
  /** Woken by a webhook or a person's wait. */
  readonly woken: number;
  /** Repositories and owners at their regular pace. */
  readonly due: number;
  readonly inboxes: number;
}

/** Every polled source and when it is due next, shared by all workers. */
export function createSources({ redis, keys, now }: Ground) {
  const homeOf = (source: string) => (source.startsWith('inbox-') ? keys.inboxesDue() : keys.sourcesDue());
  const namesOf = (source: string) => [homeOf(source), keys.sourcesState(), keys.sourcesWoken(), keys.sourcesHeld()];
  const lanes = [keys.sourcesWoken(), keys.sourcesDue(), keys.inboxesDue()];
  const all = [...lanes, keys.sourcesHeld()];
  return {
    /** Due at once if it is new; the state of an existing source stays. */
    async ensure(source: string, about: SourceState['about']): Promise<boolean> {
      const text = state.encode(about === undefined ? {} : { about });
      return (await ensure(redis, namesOf(source), [source, now(), text])) === 1;
    },

    async drop(source: string): Promise<void> {
      await drop(redis, namesOf(source), [source]);
    },

    /**
     * Each due source goes to one caller; one that is never rescheduled comes back after `holdMs`. Woken ones go before
     * due repositories and owners, those before inboxes, and each kind gets its share.
     */
    async claimDue(limit: number, holdMs: number): Promise<DueSource[]> {
      const hold = now() + holdMs;
      const claimed = texts.parse(await claim(redis, all, [now(), hold, limit]));
      return claimed.map((source) => ({ source, hold }));
    },

    /** Stores the result, and sets the next time unless the source was woken or dropped since it was claimed. */
    async schedule({ source, hold }: DueSource, { at, heldUntil, again, state: next }: NextPoll): Promise<boolean> {
      const args = [source, hold, at, next ? state.encode(next) : '', heldUntil ?? 0, again ? 1 : 0];
      return (await schedule(redis, namesOf(source), args)) === 1;
    },

    /** Due now: a webhook said so, or a person is waiting. Returns the known ones. */
    async wake(...sources: readonly string[]): Promise<string[]> {
      return texts.parse(await wake(redis, all, [now(), ...sources]));
    },

    async note(source: string, value: SourceState): Promise<void> {
      await note(redis, namesOf(source), [source, state.encode(value)]);
    },
    async get(source: string): Promise<SourceState | undefined> {
      const text = await redis.hget(keys.sourcesState(), source);
      return text === null ? undefined : state.decode(text);
    },

    count: async (): Promise<number> => (await redis.zcard(keys.sourcesDue())) + (await redis.zcard(keys.inboxesDue())),

    /** For how many milliseconds the oldest of each kind has waited for its poll. */
    async lags(): Promise<SourceLags> {
      const [woken = 0, due = 0, inboxes = 0] = await Promise.all(
        lanes.map(async (lane) => {
          const [, score = now()] = await redis.zrange(lane, '0', '0', 'WITHSCORES');
          return Math.max(0, now() - Number(score));
        }),
      );
      return { woken, due, inboxes };
    },

    async list(): Promise<{ source: string; dueAt: number; state: SourceState }[]> {
      const [repos, inboxes, states] = await Promise.all([
        redis.zrange(keys.sourcesDue(), '0', '-1', 'WITHSCORES'),
        redis.zrange(keys.inboxesDue(), '0', '-1', 'WITHSCORES'),
        redis.hgetall(keys.sourcesState()),
      ]);
      const due = [...repos, ...inboxes];
      return due.flatMap((source, index) => {
        const text = states[source];
        return index % 2 === 1 || text === undefined
          ? []
          : [{ source, dueAt: Number(due[index + 1]), state: state.decode(text) }];
      });
    },
  };
}

// KEYS of a script about one source: when it is due, states, woken, held

const ensure = script(`
redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[3])
return redis.call('ZADD', KEYS[1], 'NX', ARGV[2], ARGV[1])`);

const drop = script(`
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('HDEL', KEYS[4], ARGV[1])
return redis.call('ZREM', KEYS[1], ARGV[1])`);

// ARGV: source, hold, next time, state or '', time before which nobody wakes it or 0, 1 to keep it among the woken
const schedule = script(`
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not score then return 0 end
if ARGV[4] ~= '' then redis.call('HSET', KEYS[2], ARGV[1], ARGV[4]) end
local held = tonumber(ARGV[5])
if held > 0 then redis.call('HSET', KEYS[4], ARGV[1], ARGV[5]) end
if tonumber(score) == tonumber(ARGV[2]) then
  redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
  if ARGV[6] == '1' then redis.call('ZADD', KEYS[3], 'XX', ARGV[3], ARGV[1]) else redis.call('ZREM', KEYS[3], ARGV[1]) end
  return 1
end
if held > tonumber(score) then
  redis.call('ZADD', KEYS[1], ARGV[5], ARGV[1])
  redis.call('ZADD', KEYS[3], 'XX', ARGV[5], ARGV[1])
end
return 0`);

// KEYS of a script about all: woken, due, inboxes due, held
const home = `
local function home(source) return string.sub(source, 1, 6) == 'inbox-' and KEYS[3] or KEYS[2] end
`;

// ARGV: now, then the sources; a claimed one keeps no later time than the wake-up's
const wake = script(`${home}
local known = {}
for i = 2, #ARGV do
  local source = ARGV[i]
  local score = redis.call('ZSCORE', home(source), source)
  if score then
    known[#known + 1] = source
    local at = math.max(tonumber(ARGV[1]), tonumber(redis.call('HGET', KEYS[4], source) or '0'))
    local woken = tonumber(redis.call('ZSCORE', KEYS[1], source) or at + 1)
    if tonumber(score) > at then redis.call('ZADD', home(source), string.format('%.0f', at), source) end
    if woken > at then redis.call('ZADD', KEYS[1], string.format('%.0f', at), source) end
  end
end
return known`);

// ARGV: now, until, limit; each kind gets its share of twelve, and what one leaves goes to the others in this order
const claim = script(`${home}
local limit, claimed = tonumber(ARGV[3]), {}
local function take(lane, most)
  for _, source in ipairs(redis.call('ZRANGEBYSCORE', lane, '-inf', ARGV[1], 'LIMIT', 0, most)) do
    local known = redis.call('ZSCORE', home(source), source)
    if known then
      redis.call('ZADD', home(source), ARGV[2], source)
      redis.call('ZADD', KEYS[1], 'XX', ARGV[2], source)
      redis.call('HDEL', KEYS[4], source)
      claimed[#claimed + 1] = source
    end
    if not known or (lane ~= KEYS[1] and lane ~= home(source)) then redis.call('ZREM', lane, source) end
  end
end
for lane, share in ipairs({ 8, 3, 1 }) do take(KEYS[lane], math.min(limit - #claimed, math.ceil(limit * share / 12))) end
for lane = 1, 3 do
  if #claimed < limit then take(KEYS[lane], limit - #claimed) end
end
return claimed`);

const note = script(`
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) end
return 1`);
