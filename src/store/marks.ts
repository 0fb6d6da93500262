import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { growTo } from '../memory.js';
import { type Ground, json, script, texts, versionedCodec } from './ground.js';
import { begin, createLease, type Lease, Token } from './lease.js';

const SourceMark = z.object({
  /** The forge's time in milliseconds; never ours. */
  time: z.int(),
  /** Ids seen inside the overlap window before that time. */
  seen: texts,
  /** What else the source stores with the mark, such as the last state of each workflow. */
  memo: json.optional(),
});
export type SourceMark = z.infer<typeof SourceMark>;
const mark = versionedCodec(SourceMark);

export interface LoggedEvent {
  readonly seq: number;
  readonly id: string;
  readonly body: unknown;
}

export interface NewEvent {
  readonly id: string;
  readonly body: unknown;
}

/** A poll in progress: nobody else polls this source during the lease. */
export interface OpenedSource {
  readonly token: Lease;
  /** Undefined before the first poll, which only learns and announces nothing. */
  readonly mark?: SourceMark;
  /** Events of an earlier poll that are not in every outbox yet. */
  readonly unread: number;
  /** How many polls of it in a row ended with their process. */
  readonly deaths: number;
}

const Opened = z.tuple([Token, z.number(), z.string(), z.number()]);
const hourMs = 3_600_000;
/** Most polls find the same mark as the last one. */
const marksRemembered = 20_000;

/** How far each source was read, and its log of events that are not in every outbox yet. */
export function createMarks({ redis, keys, now }: Ground) {
  const lease = (source: string) =>
    createLease(redis, keys.sourceLease({ source }), keys.sourceFence({ source }), keys.sourceDeaths({ source }));
  const readOf = (source: string) => [
    keys.mark({ source }),
    keys.log({ source }),
    keys.logCursor({ source }),
    keys.own({ source }),
  ];
  const known = new LRUCache<string, { readonly text: string; readonly mark: SourceMark }>(growTo(marksRemembered));
  const read = (source: string, text: string): SourceMark => {
    const before = known.get(source);
    if (before?.text === text) return before.mark;
    const decoded = mark.decode(text);
    known.set(source, { text, mark: decoded });
    return decoded;
  };
  return {
    lease,

    /** Begins a poll; undefined while someone else holds the source. */
    async open(source: string, lifeMs: number): Promise<OpenedSource | undefined> {
      const names = [
        keys.sourceLease({ source }),
        keys.sourceFence({ source }),
        keys.sourceDeaths({ source }),
        keys.mark({ source }),
        keys.log({ source }),
      ];
      const opened = await open(redis, names, [lifeMs]);
      if (opened === null) return undefined;
      const [token, deaths, text, unread] = Opened.parse(opened);
      return { token, deaths, unread, ...(text === '' ? {} : { mark: read(source, text) }) };
    },

    /** Undefined before the first poll, which only learns and announces nothing. */
    async get(source: string): Promise<SourceMark | undefined> {
      const text = await redis.get(keys.mark({ source }));
      return text === null ? undefined : read(source, text);
    },

    /** Where to start reading a source without a mark; forgotten if nobody reads it within the hour. */
    async begin(source: string, first: SourceMark): Promise<void> {
      await redis.set(keys.mark({ source }), mark.encode(first), 'PX', hourMs, 'NX');
    },

    /** Writes new events and the new mark and ends the lease in one step; undefined if it was lost and nothing was written. */
    async commit(
      source: string,
      token: Lease,
      next: SourceMark,
      events: readonly NewEvent[],
    ): Promise<LoggedEvent[] | undefined> {
      const names = [
        keys.mark({ source }),
        keys.log({ source }),
        keys.logCursor({ source }),
        keys.sourceDeaths({ source }),
        keys.sourceLease({ source }),
      ];
      const pairs = events.flatMap(({ id, body }) => [id, JSON.stringify(body)]);
      const last = z.number().parse(await commit(redis, names, [token, mark.encode(next), ...pairs]));
      return last < 0 ? undefined : events.map((event, at) => ({ ...event, seq: last - events.length + 1 + at }));
    },

    /** Events still to be fanned out, oldest first. */
    async unread(source: string, limit = 500): Promise<LoggedEvent[]> {
      const done = (await redis.hget(keys.logCursor({ source }), 'done')) ?? '0';
      const rows = await redis.xrange(keys.log({ source }), `(${done}-0`, '+', 'COUNT', limit);
      return rows.map(([at, [, id = '', , text = '']]) => ({
        seq: Number(at.split('-')[0]),
        id,
        body: JSON.parse(text),
      }));
    },

    /** Moved last, once every outbox has the events up to `seq`; never moves back, nor in a dropped source. */
    async advance(source: string, seq: number): Promise<void> {
      await advance(redis, [keys.logCursor({ source }), keys.log({ source })], [seq]);
    },

    backlog: (source: string): Promise<number> => redis.xlen(keys.log({ source })),

    /** Our own changes, so that the poller does not announce them. */
    async recordOwn(source: string, ids: readonly string[]): Promise<void> {
      if (ids.length === 0) return;
      const until = now() + hourMs;
      const key = keys.own({ source });
      await redis.zadd(key, ...ids.flatMap((id) => [until, id]));
      await redis.pexpire(key, hourMs);
    },
    async own(source: string): Promise<ReadonlySet<string>> {
      return new Set(await redis.zrangebyscore(keys.own({ source }), `(${now()}`, '+inf'));
    },

    /** Forgets how far the source was read; its lease stays. */
    async clear(source: string): Promise<void> {
      await redis.del(readOf(source));
    },

    /** The same, and its lease; the fence stays, so that a poll in progress cannot write. */
    async drop(source: string): Promise<void> {
      await redis.del(...readOf(source), keys.sourceLease({ source }), keys.sourceDeaths({ source }));
    },
  };
}

// KEYS: lease, fence, deaths, mark, log
const open = script(`${begin()}
return { token, deaths, redis.call('GET', KEYS[4]) or '', redis.call('XLEN', KEYS[5]) }`);

const commit = script(`
if redis.call('GET', KEYS[#KEYS]) ~= ARGV[1] then return -1 end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('DEL', KEYS[4], KEYS[5])
local count = (#ARGV - 2) / 2
local last = redis.call('HINCRBY', KEYS[3], 'last', count)
for n = 1, count do
  redis.call('XADD', KEYS[2], string.format('%.0f-0', last - count + n), 'i', ARGV[2 * n + 1], 'b', ARGV[2 * n + 2])
end
return last`);

const advance = script(`
local seq = tonumber(ARGV[1])
if redis.call('HEXISTS', KEYS[1], 'last') == 0 then return 0 end
if seq <= tonumber(redis.call('HGET', KEYS[1], 'done') or '0') then return 0 end
redis.call('HSET', KEYS[1], 'done', ARGV[1])
return redis.call('XTRIM', KEYS[2], 'MINID', string.format('%.0f-0', seq + 1))`);
