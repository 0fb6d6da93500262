import type { Ground } from './ground.js';

/** Periodic work, done once for all workers: the first worker to ask in an interval does it. */
export function createIntervals({ redis, keys }: Ground) {
  return {
    take: async (name: string, everyMs: number): Promise<boolean> =>
      (await redis.set(keys.interval({ name }), '1', 'PX', Math.max(1, Math.round(everyMs * 0.9)), 'NX')) === 'OK',
  };
}
