import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { createSignatures } from './authentic.js';
import { type Ground, type Person, texts, versionedCodec } from './ground.js';
import { resignRows } from './resign.js';

const Agent = z.object({
  id: z.string(),
  /** The person it acts for. */
  team: z.string(),
  user: z.string(),
  name: z.string(),
  /** Patterns of command names. */
  may: texts,
  /** Repository patterns; none: all its person can use. */
  repos: texts,
  /** The repository or owner that each of these named when it was set. */
  meant: z.record(z.string(), z.int()),
  /** Calls per minute. */
  pace: z.int().positive(),
  /** Where it was created: approval cards go there unless the policy names a channel. */
  channel: z.string().nullable(),
  /** The person's account at that time; with another one the agent does nothing. */
  login: z.string(),
  forgeUserId: z.int().nullable(),
  linkedAt: z.int(),
  /** Of the token, which is stored nowhere. */
  hash: z.string(),
  createdAt: z.int(),
  expiresAt: z.int(),
});
export type Agent = z.infer<typeof Agent>;
const row = versionedCodec(Agent);

/** How an agent is named beside its person. */
export type AgentName = Pick<Agent, 'id' | 'name'>;

/** Expired ones stay visible for a while, so that their person sees why they stopped. */
const shownMs = 7 * 86_400_000;

const tokenForm = /^bwa_([a-z0-9]{12})_([A-Za-z0-9_-]{43})$/;
const digest = (secret: string) => createHash('sha256').update(secret).digest('hex');

/** Programs that act for a person with their own token. The record is signed for its id; the token is stored nowhere. */
export function createAgents(ground: Ground) {
  const { redis, keys, now } = ground;
  const signatures = createSignatures(ground, 'agent');
  const read = (id: string, stored: string): Agent | undefined => {
    const text = signatures.read(stored, id);
    return text === undefined ? undefined : row.decode(text);
  };
  const all = async (): Promise<Agent[]> =>
    Object.entries(await redis.hgetall(keys.agents())).flatMap(([id, text]) => read(id, text) ?? []);
  const remove = async (id: string): Promise<boolean> => {
    await redis.hdel(keys.agentsUsed(), id);
    return (await redis.hdel(keys.agents(), id)) === 1;
  };
  const ownedBy = async ({ team, user }: Person): Promise<Agent[]> =>
    (await all()).filter((each) => each.team === team && each.user === user);
  const get = async (id: string): Promise<Agent | undefined> => {
    const text = await redis.hget(keys.agents(), id);
    return text === null ? undefined : read(id, text);
  };

  return {
    all,
    ownedBy,
    get,
    remove,

    /** Returns the token, only this once. The same id again makes a new token and invalidates the old one. */
    async put(given: Omit<Agent, 'hash' | 'createdAt'>): Promise<{ readonly agent: Agent; readonly token: string }> {
      for (const { id, expiresAt } of await all()) if (expiresAt + shownMs < now()) await remove(id);
      const secret = randomBytes(32).toString('base64url');
      const agent = { ...given, hash: digest(secret), createdAt: now() };
      await redis.hset(keys.agents(), agent.id, signatures.sign(row.encode(agent), agent.id));
      return { agent, token: `bwa_${agent.id}_${secret}` };
    },

    /** Whose token this is; undefined if it is invalid, revoked or expired. */
    async byToken(token: string): Promise<Agent | undefined> {
      const [, id, secret = ''] = tokenForm.exec(token) ?? [];
      const found = id === undefined ? undefined : await get(id);
      if (!found || found.expiresAt <= now()) return undefined;
      return timingSafeEqual(Buffer.from(found.hash, 'hex'), Buffer.from(digest(secret), 'hex')) ? found : undefined;
    },

    async recordUse(id: string): Promise<void> {
      await redis.hset(keys.agentsUsed(), id, now());
    },
    /** When each was last used, by id. */
    async lastUsed(): Promise<ReadonlyMap<string, number>> {
      const times = Object.entries(await redis.hgetall(keys.agentsUsed()));
      return new Map(times.map(([id, at]) => [id, Number(at)]));
    },

    /** Revokes all of this person's agents. */
    async forget(person: Person): Promise<number> {
      const owned = await ownedBy(person);
      for (const { id } of owned) await remove(id);
      return owned.length;
    },

    resign: () => resignRows(redis, signatures, { key: keys.agents(), idOf: (field) => [field] }),
  };
}
