import { z } from 'zod';
import { type Ground, versionedCodec } from './ground.js';

/** How long one requested review has waited in working time. */
const Clock = z.object({
  /** When it was requested; another request is another clock. */
  asked: z.int(),
  /** In milliseconds, until `at`. */
  used: z.int(),
  at: z.int(),
  /** Whether it was waiting for the reviewer then. */
  running: z.boolean(),
  limit: z.int(),
  /** Which messages were sent. */
  said: z.array(z.enum(['due', 'late'])),
});
export type Clock = z.infer<typeof Clock>;
const clock = versionedCodec(Clock);

const lifeSeconds = 30 * 86_400;

/** By repository; a field is `12 user ada` or `12 team core`. */
export function createClocks({ redis, keys }: Ground) {
  return {
    async of(repo: number): Promise<ReadonlyMap<string, Clock>> {
      const rows = Object.entries(await redis.hgetall(keys.clocks({ repo })));
      return new Map(rows.map(([name, text]) => [name, clock.decode(text)]));
    },

    /** All of this repository; the others are over. */
    async put(repo: number, all: ReadonlyMap<string, Clock>): Promise<void> {
      const key = keys.clocks({ repo });
      const rows = [...all].flatMap(([name, value]) => [name, clock.encode(value)]);
      const change = redis.multi().del(key);
      if (rows.length > 0) change.hset(key, ...rows).expire(key, lifeSeconds);
      await change.exec();
    },
  };
}
