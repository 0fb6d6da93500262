import { z } from 'zod';
import type { Ground, Place } from './ground.js';
import type { ThreadMark } from './outbox-entry.js';
import { json, versioned } from './value.js';

const Thread = z.object({
  ts: z.string(),
  hash: z.string().optional(),
  /** What the card shows, so that it can be drawn again; whoever draws it validates it. */
  about: json.optional(),
});
export type Thread = z.infer<typeof Thread>;
export const thread = versioned(Thread);

export const NINETY_DAYS = 90 * 86_400;

/** Which message stands for an issue, pull request or run in a channel, and which item a message stands for. */
export function createThreads({ redis, keys }: Ground) {
  return {
    async get(place: Place, item: string): Promise<Thread | undefined> {
      const text = await redis.get(keys.thread({ ...place, item }));
      return text === null ? undefined : thread.decode(text);
    },

    async itemOf(place: Place, ts: string): Promise<string | undefined> {
      return (await redis.get(keys.threadItem({ ...place, ts }))) ?? undefined;
    },

    /** For a parent posted outside the outbox; the outbox writes its own when it settles. */
    async put(place: Place, { item, ts, hash, about }: ThreadMark): Promise<void> {
      const text = thread.encode({
        ts,
        ...(hash === undefined ? {} : { hash }),
        ...(about === undefined ? {} : { about }),
      });
      await redis.set(keys.threadItem({ ...place, ts }), item, 'EX', NINETY_DAYS);
      await redis.set(keys.thread({ ...place, item }), text, 'EX', NINETY_DAYS);
    },

    async forget(place: Place, item: string): Promise<void> {
      const key = keys.thread({ ...place, item });
      const text = await redis.get(key);
      if (text !== null) await redis.del(key, keys.threadItem({ ...place, ts: thread.decode(text).ts }));
    },
  };
}
