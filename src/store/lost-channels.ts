import type { Ground, Place } from './ground.js';

/** Channels that Slack takes no messages for: archived, the bot removed, writing restricted. */
export function createLostChannels({ redis, keys, now }: Ground) {
  const name = ({ team, channel }: Place) => `${team}/${channel}`;
  return {
    /** When it was lost, if that is news: then its people are told. */
    async note(place: Place): Promise<number | undefined> {
      const at = now();
      return (await redis.hsetnx(keys.lostChannels(), name(place), at)) === 1 ? at : undefined;
    },
    async has(place: Place): Promise<boolean> {
      return (await redis.hexists(keys.lostChannels(), name(place))) === 1;
    },
    async all(): Promise<Place[]> {
      return (await redis.hkeys(keys.lostChannels())).map((each) => {
        const [team = '', channel = ''] = each.split('/');
        return { team, channel };
      });
    },
    async found(place: Place): Promise<void> {
      await redis.hdel(keys.lostChannels(), name(place));
    },
  };
}
