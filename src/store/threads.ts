import { z } from 'zod';
import { type Ground, json, type Place, versionedCodec } from './ground.js';
import type { ThreadMark } from './outbox-entry.js';

const Thread = z.object({
  ts: z.string(),
  hash: z.string().optional(),
  /** What the card shows, so that it can be redrawn; the code that draws it validates it. */
  about: json.optional(),
});
export type Thread = z.infer<typeof Thread>;
const thread = versionedCodec(Thread);

export const threadSeconds = 90 * 86_400;

export const encodeThread = ({ ts, hash, about }: ThreadMark): string =>
  thread.encode({ ts, ...(hash === undefined ? {} : { hash }), ...(about === undefined ? {} : { about }) });

/** The message of an issue, pull request or run in a channel, and the item of a message. */
export function createThreads({ redis, keys }: Ground) {
  const get = async (place: Place, item: string): Promise<Thread | undefined> => {
    const text = await redis.get(keys.thread({ ...place, item }));
    return text === null ? undefined : thread.decode(text);
  };
  return {
    get,

    async itemOf(place: Place, ts: string): Promise<string | undefined> {
      return (await redis.get(keys.threadItem({ ...place, ts }))) ?? undefined;
    },

    /** For a parent posted outside the outbox; the outbox writes its own when a post is done. */
    async put(place: Place, mark: ThreadMark): Promise<void> {
      const { item, ts } = mark;
      await redis.set(keys.threadItem({ ...place, ts }), item, 'EX', threadSeconds);
      await redis.set(keys.thread({ ...place, item }), encodeThread(mark), 'EX', threadSeconds);
    },

    async forget(place: Place, item: string): Promise<void> {
      const known = await get(place, item);
      await redis.del(keys.thread({ ...place, item }), ...(known ? [keys.threadItem({ ...place, ts: known.ts })] : []));
    },
  };
}
