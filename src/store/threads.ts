import { z } from 'zod';
import { createSignatures, isUnsigned } from './authentic.js';
import type { Ground, Place } from './ground.js';
import type { ThreadMark } from './outbox-entry.js';
import { json, versioned } from './value.js';

const Thread = z.object({
  ts: z.string(),
  hash: z.string().optional(),
  /** What the card shows, so that it can be redrawn; the code that draws it validates it. */
  about: json.optional(),
});
export type Thread = z.infer<typeof Thread>;
const thread = versioned(Thread);

export const threadSeconds = 90 * 86_400;

/** Signed: cards are redrawn from these records. */
export function threadRecords(ground: Ground) {
  const signatures = createSignatures(ground, 'card');
  return {
    write({ team, channel }: Place, { item, ts, hash, about }: ThreadMark): string {
      const shown = { ts, ...(hash === undefined ? {} : { hash }), ...(about === undefined ? {} : { about }) };
      return signatures.sign(thread.encode(shown), team, channel, item);
    },
    /** An earlier version did not sign its cards: they stay as they are, and a new one is posted. */
    read({ team, channel }: Place, item: string, stored: string): Thread | undefined {
      const text = isUnsigned(stored) ? undefined : signatures.read(stored, team, channel, item);
      return text === undefined ? undefined : thread.decode(text);
    },
  };
}

/** The message of an issue, pull request or run in a channel, and the item of a message. */
export function createThreads(ground: Ground) {
  const { redis, keys } = ground;
  const { read, write } = threadRecords(ground);
  return {
    async get(place: Place, item: string): Promise<Thread | undefined> {
      const text = await redis.get(keys.thread({ ...place, item }));
      return text === null ? undefined : read(place, item, text);
    },

    async itemOf(place: Place, ts: string): Promise<string | undefined> {
      return (await redis.get(keys.threadItem({ ...place, ts }))) ?? undefined;
    },

    /** For a parent posted outside the outbox; the outbox writes its own when a post is done. */
    async put(place: Place, { item, ts, hash, about }: ThreadMark): Promise<void> {
      const text = write(place, { item, ts, hash, about });
      await redis.set(keys.threadItem({ ...place, ts }), item, 'EX', threadSeconds);
      await redis.set(keys.thread({ ...place, item }), text, 'EX', threadSeconds);
    },

    async forget(place: Place, item: string): Promise<void> {
      const key = keys.thread({ ...place, item });
      const text = await redis.get(key);
      const ts = text === null ? undefined : read(place, item, text)?.ts;
      await redis.del(key, ...(ts === undefined ? [] : [keys.threadItem({ ...place, ts })]));
    },
  };
}
