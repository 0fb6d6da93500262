import { type Ground, type Place, placeName, readPlaceName } from './ground.js';

/** Channels where Slack accepts no messages: archived, the bot removed, posting restricted. */
export function createLostChannels({ redis, keys, now }: Ground) {
  return {
    /** When it was lost: now, unless it is noted already. */
    async note(place: Place): Promise<number> {
      const at = now();
      await redis.hsetnx(keys.lostChannels(), placeName(place), at);
      return Number((await redis.hget(keys.lostChannels(), placeName(place))) ?? at);
    },
    async has(place: Place): Promise<boolean> {
      return (await redis.hexists(keys.lostChannels(), placeName(place))) === 1;
    },
    async all(): Promise<Place[]> {
      return (await redis.hkeys(keys.lostChannels())).map(readPlaceName);
    },
    async forget(place: Place): Promise<void> {
      await redis.hdel(keys.lostChannels(), placeName(place));
    },
  };
}
