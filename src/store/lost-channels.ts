import { type Ground, type Place, placeName, readPlaceName } from './ground.js';

/** Channels where Slack accepts no messages: archived, the bot removed, posting restricted. */
export function createLostChannels({ redis, keys, now }: Ground) {
  return {
    /** When it was lost, if that is new: then its people are notified. */
    async note(place: Place): Promise<number | undefined> {
      const at = now();
      return (await redis.hsetnx(keys.lostChannels(), placeName(place), at)) === 1 ? at : undefined;
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
