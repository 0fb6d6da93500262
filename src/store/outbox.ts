import { z } from 'zod';
import { encodeShown, type Shown, shownSeconds } from './decisions.js';
import { type Ground, type OutboxPlace, outboxName, readOutboxName, script, texts } from './ground.js';
import { begin, createLease, held, type Lease, Token } from './lease.js';
import {
  type Aside,
  aside,
  entry,
  type Intent,
  intent,
  type OutboxEntry,
  type OutboxView,
  type Pause,
  pause,
  type ThreadMark,
  type Trouble,
  trouble,
} from './outbox-entry.js';
import { encodeThread, threadSeconds } from './threads.js';

// KEYS of each: order, entries, cards, intent, state; then the script's own.

/** The entries of the post that was begun. */
const flying = `
local begun = redis.call('GET', KEYS[4])
local flying = {}
if begun then
  for _, id in ipairs(cjson.decode(begun).entries) do flying[id] = true end
end
`;

/** KEYS[6]: known ids. ARGV: now, the time before which ids are forgotten, then id, card, entry of each. */
const appendScript = script(`${flying}
redis.call('ZREMRANGEBYSCORE', KEYS[6], '-inf', ARGV[2])
local added = 0
for i = 3, #ARGV, 3 do
  local id, card, text = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  if redis.call('ZADD', KEYS[6], 'NX', ARGV[1], id) == 1 then
    added = added + 1
    local old = card ~= '' and redis.call('HGET', KEYS[3], card)
    local place = false
    if old and not flying[old] then
      place = redis.call('ZSCORE', KEYS[1], old)
      redis.call('ZREM', KEYS[1], old)
      redis.call('HDEL', KEYS[2], old)
    end
    redis.call('ZADD', KEYS[1], place or redis.call('HINCRBY', KEYS[5], 'seq', 1), id)
    redis.call('HSET', KEYS[2], id, text)
    if card ~= '' then redis.call('HSET', KEYS[3], card, id) end
  end
end
redis.call('PEXPIRE', KEYS[6], ARGV[1] - ARGV[2])
return added`);

/** KEYS[6]: set aside. ARGV[1]: how many entries. */
const look = `
local out = {
  redis.call('ZCARD', KEYS[1]),
  redis.call('HLEN', KEYS[6]),
  redis.call('GET', KEYS[4]) or '',
  redis.call('HGET', KEYS[5], 'pause') or '',
  redis.call('HGET', KEYS[5], 'notBefore') or '',
  redis.call('HGET', KEYS[5], 'trouble') or '',
}
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, tonumber(ARGV[1]) - 1)) do
  out[#out + 1] = id
  out[#out + 1] = redis.call('HGET', KEYS[2], id) or ''
end
`;
const viewScript = script(`${look}
return out`);

/** KEYS[7], KEYS[8], KEYS[9]: lease, fence, deaths. ARGV[2]: life in ms. */
const openScript = script(`${begin(7, 2)}${look}
return { token, deaths, out }`);

/** KEYS[7]: lease. ARGV[2], ARGV[3]: token, life in ms. */
const keepScript = script(`
if redis.call('GET', KEYS[7]) ~= ARGV[2] then return false end
redis.call('PEXPIRE', KEYS[7], ARGV[3])
${look}
return out`);

/** ARGV: token, intent, life of the lease in ms, ids. */
const beginScript = script(`${held}
if redis.call('EXISTS', KEYS[4]) == 1 then return 0 end
for i = 4, #ARGV do
  if redis.call('HEXISTS', KEYS[2], ARGV[i]) == 0 then return 0 end
end
redis.call('SET', KEYS[4], ARGV[2])
redis.call('PEXPIRE', KEYS[#KEYS], ARGV[3])
return 1`);

const remove = `
local function remove(id)
  local read, row = pcall(cjson.decode, string.match(redis.call('HGET', KEYS[2], id) or '', '{.*') or '{}')
  local card = read and type(row) == 'table' and type(row.card) == 'string' and row.card
  if card and redis.call('HGET', KEYS[3], card) == id then redis.call('HDEL', KEYS[3], card) end
  redis.call('HDEL', KEYS[2], id)
  redis.call('ZREM', KEYS[1], id)
end
`;

const sameIntent = `
local begun = redis.call('GET', KEYS[4])
begun = begun and cjson.decode(begun)
if not begun or begun.id ~= ARGV[2] then return 0 end
`;

/**
 * KEYS[6] to KEYS[9]: the thread, its message's item, what the message shows, deaths. ARGV: token, intent id, thread or '',
 * item, its life in seconds, what the message shows or '', its life, 1 to end the lease with the last. Returns how many are left.
 */
const doneScript = script(`
if redis.call('GET', KEYS[#KEYS]) ~= ARGV[1] then return -1 end
${remove}
local begun = redis.call('GET', KEYS[4])
begun = begun and cjson.decode(begun)
if not begun or begun.id ~= ARGV[2] then return -1 end
for _, id in ipairs(begun.entries) do remove(id) end
redis.call('DEL', KEYS[4])
redis.call('HDEL', KEYS[5], 'notBefore', 'trouble')
if ARGV[3] ~= '' then
  redis.call('SET', KEYS[6], ARGV[3], 'EX', ARGV[5])
  redis.call('SET', KEYS[7], ARGV[4], 'EX', ARGV[5])
end
if ARGV[6] ~= '' then redis.call('SET', KEYS[8], ARGV[6], 'EX', ARGV[7]) end
local left = redis.call('ZCARD', KEYS[1])
if left == 0 and ARGV[8] == '1' then redis.call('DEL', KEYS[9], KEYS[#KEYS]) end
return left`);

/** ARGV: token, intent id, time or '', then id and new text of each entry that may be posted already. */
const againScript = script(`${held}${sameIntent}
redis.call('DEL', KEYS[4])
if ARGV[3] ~= '' then redis.call('HSET', KEYS[5], 'notBefore', ARGV[3]) end
for i = 4, #ARGV, 2 do
  if redis.call('HEXISTS', KEYS[2], ARGV[i]) == 1 then redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
end
return 1`);

/** ARGV: token, ids. */
const dropScript = script(`${held}${remove}
for i = 2, #ARGV do remove(ARGV[i]) end
return 1`);

/** ARGV: ids. */
const forgetScript = script(`${remove}${flying}
for _, id in ipairs(ARGV) do
  if not flying[id] then remove(id) end
end
return 1`);

/** KEYS[6]: set aside. ARGV: token, intent id or '', life in ms, most, then id and row of each. */
const setAsideScript = script(`${held}${remove}
for i = 5, #ARGV, 2 do
  if redis.call('HLEN', KEYS[6]) < tonumber(ARGV[4]) then redis.call('HSET', KEYS[6], ARGV[i], ARGV[i + 1]) end
  remove(ARGV[i])
end
if ARGV[2] ~= '' then redis.call('DEL', KEYS[4]) end
redis.call('HDEL', KEYS[5], 'notBefore', 'trouble')
redis.call('PEXPIRE', KEYS[6], ARGV[3])
return 1`);

/** KEYS[6]: set aside. ARGV: token, then id, place in the queue or '', entry of each. Returns how many came back. */
const reviveScript = script(`${held}
for i = 2, #ARGV, 3 do
  local place = ARGV[i + 1]
  if place == '' then place = redis.call('HINCRBY', KEYS[5], 'seq', 1) end
  redis.call('ZADD', KEYS[1], place, ARGV[i])
  redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 2])
  redis.call('HDEL', KEYS[6], ARGV[i])
end
return (#ARGV - 1) / 3`);

const keepMs = 7 * 86_400_000;
/** The log has the rest. */
const mostAside = 200;

/** Why an entry was set aside whose worker kept dying; a channel that accepts others says nothing about it. */
export const stoppedTheWorker = 'stopped_the_worker';

/** About half a day. */
const mostRetries = 50;
const retryAfter = (asides: number): number => Math.min(15, 2 ** asides) * 60_000;

/** What Slack refuses leaves its channel's queue, so that the rest continues; it is kept and listed for a week. */
function createAside(
  { redis, keys, now }: Pick<Ground, 'redis' | 'keys' | 'now'>,
  body: (place: OutboxPlace) => readonly string[],
) {
  const names = (place: OutboxPlace) => [...body(place), keys.outboxAside(place), keys.channelLease(place)];
  const rowsOf = async (place: OutboxPlace): Promise<(Aside & { readonly id: string })[]> =>
    Object.entries(await redis.hgetall(keys.outboxAside(place))).map(([id, text]) => ({ id, ...aside.decode(text) }));
  return {
    /** `retry`: it may not be the message's fault, so it is tried again later, in its old place. */
    async setAside(
      place: OutboxPlace,
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
      await redis.zadd(keys.outboxesAside(), now(), outboxName(place));
      const done = await setAsideScript(redis, names(place), [token, intent, keepMs, mostAside, ...rows]);
      return z.number().parse(done) === 1;
    },

    asideIn: rowsOf,

    /** Whether something there is to be tried again now. */
    isRetryDue: async (place: OutboxPlace): Promise<boolean> =>
      (await rowsOf(place)).some(({ retryAt }) => retryAt !== undefined && retryAt <= now()),

    /** Returns what is due to its old place in the queue; what was set aside once also if the channel just accepted a message. */
    async revive(place: OutboxPlace, token: Lease, accepts = false): Promise<number> {
      const due = (await rowsOf(place)).filter(
        ({ retryAt, asides, code }) =>
          retryAt !== undefined && (retryAt <= now() || (accepts && asides === 1 && code !== stoppedTheWorker)),
      );
      if (due.length === 0) return 0;
      const rows = due.flatMap(({ id, seq, entry }) => [id, seq ?? '', entry]);
      return z.number().parse(await reviveScript(redis, names(place), [token, ...rows]));
    },

    /** Channels where something was set aside in the last week. */
    async withAside(): Promise<OutboxPlace[]> {
      await redis.zremrangebyscore(keys.outboxesAside(), '-inf', now() - keepMs);
      return (await redis.zrange(keys.outboxesAside(), '0', '-1')).map(readOutboxName);
    },
  };
}

/** Which outboxes may have entries: one too many, never one too few. */
function createOutboxIndex({ redis, keys }: Pick<Ground, 'redis' | 'keys'>) {
  const names = [keys.outboxesPending(), keys.outboxesCount()];
  const listeners = new Set<(place: OutboxPlace, touched: number) => void>();
  return {
    /** Something was added or resumed there. */
    async touch(place: OutboxPlace): Promise<void> {
      const touched = z.number().parse(await touch(redis, names, [outboxName(place)]));
      for (const listener of listeners) listener(place, touched);
    },

    /** Called whenever this process added to an outbox or resumed it; a hint, so that nothing waits for the sweep. */
    watch(listener: (place: OutboxPlace, touched: number) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    async pending(): Promise<OutboxPlace[]> {
      return texts.parse(await redis.zrange(keys.outboxesPending(), '0', '-1')).map(readOutboxName);
    },

    /** How often an outbox was added to; undefined if nothing waits there. */
    async additionsOf(place: OutboxPlace): Promise<number | undefined> {
      const seen = await redis.zscore(keys.outboxesPending(), outboxName(place));
      return seen === null ? undefined : Number(seen);
    },

    /** Removes an outbox that was empty after it was `touched` so often, unless something was appended since. */
    rest: async (place: OutboxPlace, touched: number): Promise<boolean> =>
      (await rest(redis, [...names, keys.leftOut(place)], [outboxName(place), touched])) === 1,
  };
}

// KEYS: the list of outboxes, its counter. The count distinguishes an old entry from one just touched.
const touch = script(`
local count = redis.call('INCR', KEYS[2])
redis.call('ZADD', KEYS[1], count, ARGV[1])
return count`);

/** KEYS[3]: what was left out and is counted anew. ARGV: the outbox, the count that was seen. */
const rest = script(`
local count = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not count or tonumber(count) ~= tonumber(ARGV[2]) then return 0 end
redis.call('DEL', KEYS[3])
return redis.call('ZREM', KEYS[1], ARGV[1])`);

const rememberMs = 7 * 86_400_000;

/** Ids and texts alternate. */
function readRows(rows: readonly string[]) {
  const entries: OutboxEntry[] = [];
  const unreadable: string[] = [];
  for (let at = 0; at < rows.length; at += 2) {
    const [id = '', text = ''] = rows.slice(at, at + 2);
    try {
      entries.push(entry.decode(text));
    } catch {
      unreadable.push(id);
    }
  }
  return { entries, unreadable };
}

const Opened = z.tuple([Token, z.number(), z.unknown()]);

interface Done {
  readonly mark?: ThreadMark | undefined;
  readonly shown?: Shown | undefined;
  readonly ends?: boolean;
}

/** An outbox that nobody else drains during the lease. */
interface OpenedOutbox {
  readonly token: Lease;
  readonly deaths: number;
  readonly view: OutboxView;
}

/** One ordered outbox per channel. Everything here is safe to repeat after a crash. */
export function createOutbox(ground: Ground) {
  const { redis, keys, now } = ground;
  const body = (place: OutboxPlace) => [
    keys.outboxOrder(place),
    keys.outboxEntries(place),
    keys.outboxCards(place),
    keys.outboxIntent(place),
    keys.outboxState(place),
  ];
  const viewKeys = (place: OutboxPlace) => [...body(place), keys.outboxAside(place)];
  const { touch, ...index } = createOutboxIndex(ground);

  async function readView(place: OutboxPlace, answer: unknown): Promise<OutboxView> {
    const seen = z.tuple([z.number(), z.number(), z.string(), z.string(), z.string(), z.string()], z.string());
    const [size, aside, begun, paused, notBefore, troubled, ...rows] = seen.parse(answer);
    const { entries, unreadable } = readRows(rows);
    // what nobody can read must not hold up the rest
    if (unreadable.length > 0) await forgetScript(redis, body(place), unreadable);
    const pausedNow = readPause(paused);
    return {
      size: size - unreadable.length,
      aside,
      ...(troubled === '' ? {} : { trouble: trouble.decode(troubled) }),
      entries,
      ...(begun === '' ? {} : { intent: intent.decode(begun) }),
      ...(pausedNow && { pause: pausedNow }),
      ...(notBefore === '' || Number(notBefore) <= now() ? {} : { notBefore: Number(notBefore) }),
    };
  }

  /** Undefined after its end. */
  const readPause = (text: string): Pause | undefined => {
    const value = text === '' ? undefined : pause.decode(text);
    return value?.until !== undefined && value.until <= now() ? undefined : value;
  };

  return {
    ...index,
    lease: (place: OutboxPlace) =>
      createLease(redis, keys.channelLease(place), keys.channelFence(place), keys.channelDeaths(place)),

    /** How many were new to this channel; ids from the last seven days are dropped. */
    async append(place: OutboxPlace, entries: readonly Omit<OutboxEntry, 'at'>[]): Promise<number> {
      if (entries.length === 0) return 0;
      const rows = entries.flatMap((each) => [each.id, each.card ?? '', entry.encode({ ...each, at: now() })]);
      const args = [now(), now() - rememberMs, ...rows];
      const added = z.number().parse(await appendScript(redis, [...body(place), keys.outboxHad(place)], args));
      // after the append: if interrupted in between, both are repeated
      await touch(place);
      return added;
    },

    /** Those of the ids the channel already had. */
    async had(place: OutboxPlace, ids: readonly string[]): Promise<string[]> {
      const scores = await Promise.all(ids.map((id) => redis.zscore(keys.outboxHad(place), id)));
      return ids.filter((_, at) => scores[at] !== null);
    },

    /** Begins to drain it; undefined while someone else does. */
    async open(place: OutboxPlace, lifeMs: number, limit: number): Promise<OpenedOutbox | undefined> {
      const names = [...viewKeys(place), keys.channelLease(place), keys.channelFence(place), keys.channelDeaths(place)];
      const opened = await openScript(redis, names, [limit, lifeMs]);
      if (opened === null) return undefined;
      const [token, deaths, rows] = Opened.parse(opened);
      return { token, deaths, view: await readView(place, rows) };
    },

    async view(place: OutboxPlace, limit = 1): Promise<OutboxView> {
      return readView(place, await viewScript(redis, viewKeys(place), [limit]));
    },

    /** The same, and its lease lasts so long again; undefined if that is lost. */
    async viewAgain(place: OutboxPlace, token: Lease, lifeMs: number, limit: number): Promise<OutboxView | undefined> {
      const rows = await keepScript(redis, [...viewKeys(place), keys.channelLease(place)], [limit, token, lifeMs]);
      return rows === null ? undefined : readView(place, rows);
    },

    /** Recorded before posting; false if the lease is lost, another post is open, or an entry is gone. The lease lasts so long again. */
    async begin(place: OutboxPlace, token: Lease, next: Omit<Intent, 'at'>, lifeMs: number): Promise<boolean> {
      const text = intent.encode({ ...next, at: now() });
      const names = [...body(place), keys.channelLease(place)];
      return (await beginScript(redis, names, [token, text, lifeMs, ...next.entries])) === 1;
    },

    /**
     * It was posted: its entries are removed, and a parent's thread and what the message shows are known from the same moment.
     * Returns how many are left; undefined if the lease was lost. `ends`: the lease ends with the last one.
     */
    async finish(
      place: OutboxPlace,
      token: Lease,
      id: string,
      { mark, shown, ends = false }: Done = {},
    ): Promise<number | undefined> {
      const { item = '-', ts = '-' } = mark ?? {};
      const text = mark ? encodeThread(mark) : '';
      // every lane of a channel is in its slot, so its cards are known to all
      const names = [
        keys.thread({ ...place, item }),
        keys.threadItem({ ...place, ts }),
        keys.shownEvents({ ...place, ts: shown?.ts ?? '-' }),
        keys.channelDeaths(place),
        keys.channelLease(place),
      ];
      const events = shown && shown.events.length > 0 ? encodeShown(shown.events) : '';
      const args = [token, id, text, item, threadSeconds, events, shownSeconds, ends ? 1 : 0];
      const left = z.number().parse(await doneScript(redis, [...body(place), ...names], args));
      return left < 0 ? undefined : left;
    },

    /** It is not resumed: its entries wait, until `at` if Slack named a time. Those that may be `posted` say so. */
    async again(
      place: OutboxPlace,
      token: Lease,
      id: string,
      { at, posted = [] }: { readonly at?: number | undefined; readonly posted?: readonly OutboxEntry[] } = {},
    ): Promise<boolean> {
      const rows = posted.flatMap((each) => [each.id, entry.encode({ ...each, unsure: true })]);
      const names = [...body(place), keys.channelLease(place)];
      return (await againScript(redis, names, [token, id, at ?? '', ...rows])) === 1;
    },

    /** Nothing is sent before then; an open post stays open. */
    async wait(place: OutboxPlace, at: number): Promise<void> {
      await redis.hset(keys.outboxState(place), 'notBefore', at);
    },

    /** Slack refused this entry: counted until something is posted. */
    async note(place: OutboxPlace, value: Trouble): Promise<void> {
      await redis.hset(keys.outboxState(place), 'trouble', trouble.encode(value));
    },

    ...createAside({ redis, keys, now }, body),

    /** Entries that must not be posted after all. */
    async drop(place: OutboxPlace, token: Lease, ids: readonly string[]): Promise<boolean> {
      return (await dropScript(redis, [...body(place), keys.channelLease(place)], [token, ...ids])) === 1;
    },

    /** Entries nobody may get; a post in progress is left to its worker. */
    async forget(place: OutboxPlace, ids: readonly string[]): Promise<void> {
      if (ids.length > 0) await forgetScript(redis, body(place), ids);
    },

    /** A paused outbox is full: these are only counted. Returns how many there are. */
    async leaveOut(place: OutboxPlace, id: string): Promise<number> {
      await redis.sadd(keys.leftOut(place), id);
      await redis.expire(keys.leftOut(place), threadSeconds);
      return redis.scard(keys.leftOut(place));
    },

    paused: async (place: OutboxPlace): Promise<Pause | undefined> =>
      readPause((await redis.hget(keys.outboxState(place), 'pause')) ?? ''),
    size: (place: OutboxPlace): Promise<number> => redis.zcard(keys.outboxOrder(place)),
    async pause(place: OutboxPlace, reason: string, until?: number): Promise<void> {
      const value: Pause = { reason, at: now(), ...(until === undefined ? {} : { until }) };
      await redis.hset(keys.outboxState(place), 'pause', pause.encode(value));
    },
    async resume(place: OutboxPlace): Promise<void> {
      await redis.hdel(keys.outboxState(place), 'pause');
      await touch(place);
    },
  };
}
