import { z } from 'zod';
import type { Ground, Place } from './ground.js';
import { versioned } from './value.js';

const Repository = z.object({ id: z.int(), owner: z.string(), name: z.string() });
export type Repository = z.infer<typeof Repository>;
const repository = versioned(Repository);

const ChannelFacts = z.object({
  kind: z.enum(['public', 'private', 'dm', 'group']),
  /** Shared with another organisation. */
  shared: z.boolean(),
  member: z.boolean(),
  archived: z.boolean(),
  name: z.string().optional(),
  checkedAt: z.int(),
});
export type ChannelFacts = z.infer<typeof ChannelFacts>;
const facts = versioned(ChannelFacts);

const ONE_DAY = 86_400;

export function createChannels({ redis, keys, now }: Ground) {
  return {
    async defaultRepository(place: Place): Promise<Repository | undefined> {
      const text = await redis.hget(keys.channel(place), 'repository');
      return text === null ? undefined : repository.decode(text);
    },

    async setDefaultRepository(place: Place, value: Repository | undefined): Promise<void> {
      const key = keys.channel(place);
      if (value) await redis.hset(key, 'repository', repository.encode(value));
      else await redis.hdel(key, 'repository');
    },

    /** A direct message with the bot itself; those between people have ids of the same kind. */
    async rememberOwn(place: Place): Promise<void> {
      await redis.hset(keys.channel(place), 'own', '1');
    },
    async isOwn(place: Place): Promise<boolean> {
      return (await redis.hexists(keys.channel(place), 'own')) === 1;
    },

    /** What Slack said of the channel, unless that is older than the caller accepts. */
    async facts(place: Place, maxAgeMs: number): Promise<ChannelFacts | undefined> {
      const text = await redis.get(keys.channelFacts(place));
      const known = text === null ? undefined : facts.decode(text);
      return known && now() - known.checkedAt <= maxAgeMs ? known : undefined;
    },

    async learn(place: Place, value: Omit<ChannelFacts, 'checkedAt'>): Promise<ChannelFacts> {
      const known = { ...value, checkedAt: now() };
      await redis.set(keys.channelFacts(place), facts.encode(known), 'EX', ONE_DAY);
      if (value.name !== undefined) await redis.hset(keys.channel(place), 'name', value.name);
      return known;
    },

    /** As Slack called it last, also after the bot lost sight of it. */
    async nameOf(place: Place): Promise<string | undefined> {
      return (await redis.hget(keys.channel(place), 'name')) ?? undefined;
    },

    /** An event said that something changed: the next reader must ask Slack. */
    async forgetFacts(place: Place): Promise<void> {
      await redis.del(keys.channelFacts(place));
    },
  };
}
