import { z } from 'zod';
import { createSignatures } from './authentic.js';
import { type Ground, type Place, versionedCodec } from './ground.js';

const Repository = z.object({ id: z.int(), owner: z.string(), name: z.string() });
export type Repository = z.infer<typeof Repository>;
const repository = versionedCodec(Repository);

const ChannelFacts = z.object({
  kind: z.enum(['public', 'private', 'dm', 'group']),
  /** Shared with another organization. */
  shared: z.boolean(),
  member: z.boolean(),
  archived: z.boolean(),
  name: z.string().optional(),
  checkedAt: z.int(),
});
export type ChannelFacts = z.infer<typeof ChannelFacts>;
const facts = versionedCodec(ChannelFacts);

const factsSeconds = 86_400;

interface Only {
  /** The channel's only subscription, if it is a repository. */
  onlyRepository(place: Place): Promise<Repository | undefined>;
}

/** What Slack said about a channel is signed: it decides who may see what. */
export function createChannels(ground: Ground, { onlyRepository }: Only) {
  const { redis, keys, now } = ground;
  const known = createSignatures(ground, 'channel');
  const setDefaultRepository = async (place: Place, value: Repository | undefined): Promise<void> => {
    const key = keys.channel(place);
    if (value) await redis.hset(key, 'repository', repository.encode(value));
    else await redis.hdel(key, 'repository');
  };
  const chosenRepository = async (place: Place): Promise<Repository | undefined> => {
    const text = await redis.hget(keys.channel(place), 'repository');
    return text === null ? undefined : repository.decode(text);
  };
  const storedFacts = async (place: Place): Promise<ChannelFacts | undefined> => {
    const text = await redis.get(keys.channelFacts(place));
    // what cannot be trusted is read from Slack again
    const read = text === null ? undefined : known.peek(text, place.team, place.channel);
    return read === undefined ? undefined : facts.decode(read);
  };
  const ownOf = async (place: Place): Promise<string | undefined> => {
    const text = await redis.hget(keys.channel(place), 'own');
    const read = text === null ? undefined : known.peek(text, place.team, place.channel);
    const [own, user = ''] = read?.split(':') ?? [];
    return own === 'own' ? user : undefined;
  };
  return {
    /** The chosen one, or the channel's only subscription. */
    async defaultRepository(place: Place): Promise<Repository | undefined> {
      return (await chosenRepository(place)) ?? (await onlyRepository(place));
    },

    chosenRepository,
    setDefaultRepository,

    /** A direct message with the bot itself; those between people have the same kind of id. */
    async rememberOwn(place: Place, user: string): Promise<void> {
      await redis.hset(keys.channel(place), 'own', known.sign(`own:${user}`, place.team, place.channel));
    },
    isOwn: async (place: Place): Promise<boolean> => (await ownOf(place)) !== undefined,
    /** The Slack user on the other side, once the direct message was opened for them. */
    userOf: async (place: Place): Promise<string | undefined> => (await ownOf(place)) || undefined,

    /** What Slack said about the channel, unless it is older than the caller accepts. */
    async facts(place: Place, maxAgeMs: number): Promise<ChannelFacts | undefined> {
      const about = await storedFacts(place);
      return about && now() - about.checkedAt <= maxAgeMs ? about : undefined;
    },

    /** `at`: when Slack was asked, where others may have asked since. */
    async learn(place: Place, value: Omit<ChannelFacts, 'checkedAt'>, at?: number): Promise<ChannelFacts> {
      const before = at === undefined ? undefined : await storedFacts(place);
      if (before && at !== undefined && before.checkedAt > at) return before;
      const about = { ...value, checkedAt: at ?? now() };
      const text = known.sign(facts.encode(about), place.team, place.channel);
      await Promise.all([
        redis.set(keys.channelFacts(place), text, 'EX', factsSeconds),
        value.name === undefined || value.name === before?.name
          ? undefined
          : redis.hset(keys.channel(place), 'name', value.name),
      ]);
      return about;
    },

    /** The last name from Slack, even after the bot lost access. */
    async nameOf(place: Place): Promise<string | undefined> {
      return (await redis.hget(keys.channel(place), 'name')) ?? undefined;
    },

    /** An event reported a change: the next reader must ask Slack. */
    async forgetFacts(place: Place): Promise<void> {
      await redis.del(keys.channelFacts(place));
    },
  };
}
