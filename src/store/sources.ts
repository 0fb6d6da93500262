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
  /** Whether its owner's feed showed the last activity, or a webhook that of an inbox, as far as known. */
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

/** A source to poll now; `hold` proves on `schedule` that it was not claimed again. */
export interface DueSource {
  readonly source: string;
  readonly hold: number;
  /** A webhook, a person's wait or a poll that has to be repeated made it due. */
  readonly woken: boolean;
  /** Undefined if it was dropped meanwhile. */
  readonly state: SourceState | undefined;
}

export interface SourceLags {
  /** Woken by a webhook or a person's wait. */
  readonly woken: number;
  /** Repositories and owners at their regular pace. */
  readonly due: number;
  readonly inboxes: number;
}

const statesAtOnce = 1_000;

/** Every polled source and when it is due next, shared by all workers. */
export function createSources({ redis, keys, now }: Ground) {
  const homeOf = (source: string) => (source.startsWith('inbox-') ? keys.inboxesDue() : keys.sourcesDue());
  const rest = [keys.sourcesState(), keys.sourcesWoken(), keys.sourcesHeld(), keys.sourcesClaimed()];
  const namesOf = (source: string) => [homeOf(source), ...rest];
  const lanes = [keys.sourcesWoken(), keys.sourcesDue(), keys.inboxesDue()];
  const all = [...lanes, keys.sourcesHeld(), keys.sourcesClaimed(), keys.sourcesState()];
  let turn = 0;
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
      const claimed = texts.parse(await claim(redis, all, [now(), hold, limit, turn]));
      turn = (turn + limit) % turnsOfLanes;
      const due: DueSource[] = [];
      for (let at = 0; at < claimed.length; at += 3) {
        const [source = '', woken, text = ''] = claimed.slice(at, at + 3);
        due.push({ source, hold, woken: woken === '1', state: text === '' ? undefined : state.decode(text) });
      }
      return due;
    },

    /** Stores the result, and sets the next time; false if the source was woken, claimed again or dropped since its claim. */
    async schedule(
      { source, hold }: Pick<DueSource, 'source' | 'hold'>,
      { at, heldUntil, again, state: next }: NextPoll,
    ): Promise<boolean> {
      const args = [source, hold, at, next ? state.encode(next) : '', heldUntil ?? 0, again ? 1 : 0];
      return (await schedule(redis, namesOf(source), args)) === 1;
    },

    /** Due now, or at the end of the poll that is reading it: a webhook said so, or a person is waiting. Returns the known ones. */
    async wake(...sources: readonly string[]): Promise<string[]> {
      return texts.parse(await wake(redis, all, [now(), -1, ...sources])).slice(1);
    },

    /** The same, and every inbox if there are no more than `most`. */
    async wakeWithInboxes(most: number, ...sources: readonly string[]) {
      const [few, ...known] = texts.parse(await wake(redis, all, [now(), most, ...sources]));
      return { known, withInboxes: few === '1' };
    },

    async note(source: string, value: SourceState): Promise<void> {
      await note(redis, namesOf(source), [source, state.encode(value)]);
    },
    async get(source: string): Promise<SourceState | undefined> {
      const text = await redis.hget(keys.sourcesState(), source);
      return text === null ? undefined : state.decode(text);
    },

    /** Of those that are known. */
    async states(sources: readonly string[]): Promise<(readonly [string, SourceState])[]> {
      if (sources.length === 0) return [];
      const found = await redis.hmget(keys.sourcesState(), ...sources);
      return sources.flatMap((source, at) => (found[at] ? [[source, state.decode(found[at])] as const] : []));
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

    /** Repositories and owners: what follows from subscriptions. */
    async listFollowed(): Promise<{ source: string; state: SourceState }[]> {
      const found: { source: string; state: SourceState }[] = [];
      const due = await redis.zrange(keys.sourcesDue(), '0', '-1');
      for (let from = 0; from < due.length; from += statesAtOnce)
        for (const [source, value] of await this.states(due.slice(from, from + statesAtOnce)))
          found.push({ source, state: value });
      return found;
    },

    /** Everything that is polled, inboxes too. */
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

// KEYS of a script about one source: when it is due, states, woken, held, claimed

const ensure = script(`
redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[3])
return redis.call('ZADD', KEYS[1], 'NX', ARGV[2], ARGV[1])`);

const drop = script(`
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('HDEL', KEYS[4], ARGV[1])
redis.call('HDEL', KEYS[5], ARGV[1])
return redis.call('ZREM', KEYS[1], ARGV[1])`);

// ARGV: source, hold, next time, state or '', time before which nobody wakes it or 0, 1 to keep it among the woken
const schedule = script(`
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not score then return 0 end
if ARGV[4] ~= '' then redis.call('HSET', KEYS[2], ARGV[1], ARGV[4]) end
if ARGV[5] ~= '0' then redis.call('HSET', KEYS[4], ARGV[1], ARGV[5]) end
if tonumber(score) ~= tonumber(ARGV[2]) then return 0 end
local woken = string.match(redis.call('HGET', KEYS[5], ARGV[1]) or '', ' (.*)')
redis.call('HDEL', KEYS[5], ARGV[1])
local at = ARGV[3]
if woken then at = string.format('%.0f', math.max(tonumber(woken), tonumber(ARGV[5]))) end
redis.call('ZADD', KEYS[1], at, ARGV[1])
if woken or ARGV[6] == '1' then redis.call('ZADD', KEYS[3], 'XX', at, ARGV[1]) else redis.call('ZREM', KEYS[3], ARGV[1]) end
return woken and 0 or 1`);

// KEYS of a script about all: woken, due, inboxes due, held, claimed, states
const home = `
local function home(source) return string.sub(source, 1, 6) == 'inbox-' and KEYS[3] or KEYS[2] end
`;

// ARGV: now, up to how many inboxes are all woken, then the sources. Who reads one right now may have read too early: it is due again when that read ends.
const wake = script(`${home}
local known, sources = { '0' }, { unpack(ARGV, 3) }
if redis.call('ZCARD', KEYS[3]) <= tonumber(ARGV[2]) then
  known[1] = '1'
  for _, inbox in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do sources[#sources + 1] = inbox end
end
for _, source in ipairs(sources) do
  local score = tonumber(redis.call('ZSCORE', home(source), source) or '')
  if score then
    known[#known + 1] = source
    local at = math.max(tonumber(ARGV[1]), tonumber(redis.call('HGET', KEYS[4], source) or '0'))
    local hold = string.match(redis.call('HGET', KEYS[5], source) or '', '^%S+')
    if tonumber(hold) == score and score > at then
      redis.call('HSET', KEYS[5], source, hold .. ' ' .. ARGV[1])
      at = score
    end
    local woken = tonumber(redis.call('ZSCORE', KEYS[1], source) or at + 1)
    if score > at then redis.call('ZADD', home(source), string.format('%.0f', at), source) end
    if woken > at then redis.call('ZADD', KEYS[1], string.format('%.0f', at), source) end
  end
end
return known`);

/** The shares of woken sources, of repositories and owners, and of inboxes: 8, 3 and 1. */
const turnsOfLanes = 12;

// ARGV: now, until, limit, whose turn it is; what one kind leaves of its turns goes to the others in this order
const claim = script(`${home}
local limit, claimed, taken = tonumber(ARGV[3]), {}, 0
local function take(lane, most)
  for _, source in ipairs(redis.call('ZRANGEBYSCORE', lane, '-inf', ARGV[1], 'LIMIT', 0, most)) do
    local known = redis.call('ZSCORE', home(source), source)
    if known then
      redis.call('ZADD', home(source), ARGV[2], source)
      local woken = redis.call('ZSCORE', KEYS[1], source)
      if woken then redis.call('ZADD', KEYS[1], ARGV[2], source) end
      redis.call('HDEL', KEYS[4], source)
      redis.call('HSET', KEYS[5], source, ARGV[2])
      taken = taken + 1
      claimed[#claimed + 1] = source
      claimed[#claimed + 1] = woken and '1' or '0'
      claimed[#claimed + 1] = redis.call('HGET', KEYS[6], source) or ''
    end
    if not known or (lane ~= KEYS[1] and lane ~= home(source)) then redis.call('ZREM', lane, source) end
  end
end
local turns, shares = { 1, 1, 2, 1, 1, 2, 1, 1, 3, 1, 1, 2 }, { 0, 0, 0 }
for n = 0, limit - 1 do
  local lane = turns[(tonumber(ARGV[4]) + n) % #turns + 1]
  shares[lane] = shares[lane] + 1
end
for lane = 1, 3 do
  if shares[lane] > 0 then take(KEYS[lane], shares[lane]) end
end
for lane = 1, 3 do
  if taken < limit then take(KEYS[lane], limit - taken) end
end
return claimed`);

const note = script(`
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) end
return 1`);
