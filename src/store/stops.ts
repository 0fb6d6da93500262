import type { Ground } from './ground.js';
import { script } from './script.js';

const begin = script(`
local begun = redis.call('INCR', KEYS[1])
if begun == 1 then redis.call('EXPIRE', KEYS[1], 3600) end
return begun`);

/** How often the process ended under a piece of work; forgotten when the work came to an end, or after an hour. */
export function createStops({ redis, keys }: Ground) {
  return {
    /** The work begins; says how often it did before without an end. */
    async begin(work: string): Promise<number> {
      return Number(await begin(redis, [keys.stops({ work })], [])) - 1;
    },

    /** It was not begun after all. */
    async undo(work: string): Promise<void> {
      await redis.decr(keys.stops({ work }));
    },

    async end(work: string): Promise<void> {
      await redis.del(keys.stops({ work }));
    },
  };
}
