import { z } from 'zod';
import type { Ground, Place } from './ground.js';
import { createLease, type Lease } from './lease.js';
import { createAside } from './outbox-aside.js';
import type { ThreadMark } from './outbox-entry.js';
import {
  entry,
  type Intent,
  intent,
  type OutboxEntry,
  type OutboxView,
  type Pause,
  pause,
  type Trouble,
  trouble,
} from './outbox-entry.js';
import { createOutboxIndex } from './outbox-index.js';
import * as scripts from './outbox-scripts.js';
import { encodeThread, threadSeconds } from './threads.js';

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

/** One ordered outbox per channel. Everything here is safe to repeat after a crash. */
export function createOutbox(ground: Ground) {
  const { redis, keys, now } = ground;
  const body = (place: Place) => [
    keys.outboxOrder(place),
    keys.outboxEntries(place),
    keys.outboxCards(place),
    keys.outboxIntent(place),
    keys.outboxState(place),
  ];
  const { touch, ...index } = createOutboxIndex(ground);

  /** Undefined after its end. */
  const readPause = (text: string): Pause | undefined => {
    const value = text === '' ? undefined : pause.decode(text);
    return value?.until !== undefined && value.until <= now() ? undefined : value;
  };

  return {
    ...index,
    lease: (place: Place) =>
      createLease(redis, keys.channelLease(place), keys.channelFence(place), keys.channelDeaths(place)),

    /** How many were new to this channel; ids from the last seven days are dropped. */
    async append(place: Place, entries: readonly Omit<OutboxEntry, 'at'>[]): Promise<number> {
      if (entries.length === 0) return 0;
      const rows = entries.flatMap((each) => [each.id, each.card ?? '', entry.encode({ ...each, at: now() })]);
      const args = [now(), now() - rememberMs, ...rows];
      const added = z.number().parse(await scripts.append(redis, [...body(place), keys.outboxHad(place)], args));
      // after the append: if interrupted in between, both are repeated
      await touch(place);
      return added;
    },

    /** Those of the ids the channel already had. */
    async had(place: Place, ids: readonly string[]): Promise<string[]> {
      const scores = await Promise.all(ids.map((id) => redis.zscore(keys.outboxHad(place), id)));
      return ids.filter((_, at) => scores[at] !== null);
    },

    async view(place: Place, limit = 1): Promise<OutboxView> {
      const seen = z.tuple([z.number(), z.number(), z.string(), z.string(), z.string(), z.string()], z.string());
      const names = [...body(place), keys.outboxAside(place)];
      const [size, aside, begun, paused, notBefore, troubled, ...rows] = seen.parse(
        await scripts.view(redis, names, [limit]),
      );
      const { entries, unreadable } = readRows(rows);
      // what nobody can read must not hold up the rest
      if (unreadable.length > 0) await scripts.forget(redis, body(place), unreadable);
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
    },

    /** Recorded before posting; false if the lease is lost, another post is open, or an entry is gone. */
    async begin(place: Place, token: Lease, next: Omit<Intent, 'at'>): Promise<boolean> {
      const text = intent.encode({ ...next, at: now() });
      const names = [...body(place), keys.channelLease(place)];
      return (await scripts.begin(redis, names, [token, text, ...next.entries])) === 1;
    },

    /** It was posted: its entries are removed, and a parent's thread is known from the same moment. */
    async done(place: Place, token: Lease, id: string, mark?: ThreadMark): Promise<boolean> {
      const { item = '-', ts = '-' } = mark ?? {};
      const text = mark ? encodeThread(mark) : '';
      const names = [keys.thread({ ...place, item }), keys.threadItem({ ...place, ts }), keys.channelLease(place)];
      return (await scripts.done(redis, [...body(place), ...names], [token, id, text, item, threadSeconds])) === 1;
    },

    /** It is not resumed: its entries wait, until `at` if Slack named a time. Those that may be `posted` say so. */
    async again(
      place: Place,
      token: Lease,
      id: string,
      { at, posted = [] }: { readonly at?: number | undefined; readonly posted?: readonly OutboxEntry[] } = {},
    ): Promise<boolean> {
      const rows = posted.flatMap((each) => [each.id, entry.encode({ ...each, unsure: true })]);
      const names = [...body(place), keys.channelLease(place)];
      return (await scripts.again(redis, names, [token, id, at ?? '', ...rows])) === 1;
    },

    /** Nothing is sent before then; an open post stays open. */
    async wait(place: Place, at: number): Promise<void> {
      await redis.hset(keys.outboxState(place), 'notBefore', at);
    },

    /** Slack refused this entry: counted until something is posted. */
    async note(place: Place, value: Trouble): Promise<void> {
      await redis.hset(keys.outboxState(place), 'trouble', trouble.encode(value));
    },

    ...createAside({ redis, keys, now }, body),

    /** Entries that must not be posted after all. */
    async drop(place: Place, token: Lease, ids: readonly string[]): Promise<boolean> {
      return (await scripts.drop(redis, [...body(place), keys.channelLease(place)], [token, ...ids])) === 1;
    },

    /** Entries nobody may get; a post in progress is left to its worker. */
    async forget(place: Place, ids: readonly string[]): Promise<void> {
      if (ids.length > 0) await scripts.forget(redis, body(place), ids);
    },

    paused: async (place: Place): Promise<Pause | undefined> =>
      readPause((await redis.hget(keys.outboxState(place), 'pause')) ?? ''),
    size: (place: Place): Promise<number> => redis.zcard(keys.outboxOrder(place)),
    async pause(place: Place, reason: string, until?: number): Promise<void> {
      const value: Pause = { reason, at: now(), ...(until === undefined ? {} : { until }) };
      await redis.hset(keys.outboxState(place), 'pause', pause.encode(value));
    },
    async resume(place: Place): Promise<void> {
      await redis.hdel(keys.outboxState(place), 'pause');
      await touch(place);
    },
  };
}
