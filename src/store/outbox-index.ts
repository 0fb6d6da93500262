import { type Ground, type Place, placeName, readPlaceName } from './ground.js';
import { script } from './script.js';
import { texts } from './value.js';

/** Which outboxes may have entries: one too many, never one too few. */
export function createOutboxIndex({ redis, keys }: Pick<Ground, 'redis' | 'keys'>) {
  const names = [keys.outboxesPending(), keys.outboxesCount()];
  const listeners = new Set<(place: Place) => void>();
  return {
    /** Something was added or resumed there. */
    async touch(place: Place): Promise<void> {
      await touch(redis, names, [placeName(place)]);
      for (const listener of listeners) listener(place);
    },

    /** Called whenever this process added to an outbox or resumed it; a hint, so that nothing waits for the sweep. */
    watch(listener: (place: Place) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    async pending(): Promise<Place[]> {
      return texts.parse(await redis.zrange(keys.outboxesPending(), '0', '-1')).map(readPlaceName);
    },

    /** Removes an empty outbox, unless something was just appended. */
    async rest(place: Place): Promise<boolean> {
      const seen = await redis.zscore(keys.outboxesPending(), placeName(place));
      if (seen === null || (await redis.zcard(keys.outboxOrder(place))) > 0) return false;
      return (await rest(redis, names, [placeName(place), seen])) === 1;
    },
  };
}

// KEYS: the list of outboxes, its counter. The count distinguishes an old entry from one just touched.
const touch = script(`
redis.call('ZADD', KEYS[1], redis.call('INCR', KEYS[2]), ARGV[1])
return 1`);

/** ARGV: the outbox, the count that was seen. */
const rest = script(`
local count = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not count or tonumber(count) ~= tonumber(ARGV[2]) then return 0 end
return redis.call('ZREM', KEYS[1], ARGV[1])`);
