import type { Ground } from './ground.js';
import { script } from './script.js';

const begin = script(`
local begun = redis.call('INCR', KEYS[1])
if begun == 1 then redis.call('EXPIRE', KEYS[1], 3600) end
return begun`);

/** How often the process died during a piece of work; forgotten when the work finishes, or after an hour. */
export function createStops({ redis, keys }: Ground) {
  return {
    /** Starts the work; returns how often it started before without finishing. */
    async begin(work: string): Promise<number> {
      return Number(await begin(redis, [keys.stops({ work })], [])) - 1;
    },

    /** It was not started after all. */
    async undo(work: string): Promise<void> {
      await redis.decr(keys.stops({ work }));
    },

    async end(work: string): Promise<void> {
      await redis.del(keys.stops({ work }));
    },
  };
}
