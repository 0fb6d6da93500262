import { z } from 'zod';
import { type Ground, versionedCodec } from './ground.js';

/**
 * sent: a request was sent to the forge. abandoned: its person was told that it was not accepted.
 * reported: the end of an approval request was recorded.
 */
export type JobMark = 'sent' | 'abandoned' | 'reported';

const Stamp = z.object({ at: z.int(), note: z.string().optional() });
export type Stamp = z.infer<typeof Stamp>;
const stamp = versionedCodec(Stamp);

const lifeSeconds = 86_400;

/** What a job did before it was interrupted. BullMQ reruns stalled jobs, so this is what keeps `once` once. */
export function createJobsOnce({ redis, keys, now }: Ground) {
  return {
    /** True if this call set the mark; false if it already existed. */
    async mark(job: string, mark: JobMark, note?: string): Promise<boolean> {
      const text = stamp.encode({ at: now(), ...(note === undefined ? {} : { note }) });
      return (await redis.set(keys.once({ mark, job }), text, 'EX', lifeSeconds, 'NX')) === 'OK';
    },

    async markOf(job: string, mark: JobMark): Promise<Stamp | undefined> {
      const text = await redis.get(keys.once({ mark, job }));
      return text === null ? undefined : stamp.decode(text);
    },
  };
}
