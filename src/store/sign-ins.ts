import { createHash, randomBytes, randomInt } from 'node:crypto';
import { z } from 'zod';
import { OAuthCredential } from './accounts.js';
import { type Ground, type Person, script } from './ground.js';
import { type About, same, unopenable, unseal } from './seal.js';

const lifeSeconds = 10 * 60;
/** More than anyone needs who closes a tab and starts again. */
const mostStarts = 10;
const mostTries = 3;

const Started = z.object({
  person: z.object({ team: z.string(), user: z.string() }),
  verifier: z.string(),
  at: z.int(),
});
export type Started = z.infer<typeof Started>;

const Offer = z.object({
  login: z.string(),
  forgeUserId: z.int(),
  credential: OAuthCredential,
  code: z.string(),
  at: z.int(),
});
export type LinkOffer = z.infer<typeof Offer>;

/** A sign-in at the forge between the first click and its confirmation in Slack. */
export function createSignIns({ redis, forge, keys, seal, now, alarm }: Ground) {
  // Redis has only the hash of a state: reading Redis is not enough to finish someone's sign-in
  const keyOf = (state: string) => keys.signIn({ state: createHash('sha256').update(state).digest('hex') });
  const aboutState = (state: string): About => ['sign-in', forge, state];
  const aboutOffer = ({ team, user }: Person): About => ['link-offer', forge, team, user];
  const isFresh = ({ at }: { readonly at: number }) => now() - at < lifeSeconds * 1_000;

  return {
    /** Undefined if this person started too many. */
    async begin(person: Person, verifier: string): Promise<string | undefined> {
      const { team, user } = person;
      const begun = await count(redis, [keys.signInStarts({ team, user })], [lifeSeconds]);
      if (Number(begun) > mostStarts) return undefined;
      const state = randomBytes(32).toString('base64url');
      const started: Started = { person: { team, user }, verifier, at: now() };
      await redis.set(keyOf(state), seal.seal(JSON.stringify(started), aboutState(state)), 'EX', lifeSeconds);
      return state;
    },

    /** Once; undefined if it was used, is too old or was never ours. */
    async take(state: string): Promise<Started | undefined> {
      const text = await take(redis, [keyOf(state)], []);
      if (typeof text !== 'string') return undefined;
      const started = Started.safeParse(unseal(seal, text, aboutState(state)));
      return started.success && isFresh(started.data) ? started.data : undefined;
    },

    /** Replaces an earlier offer. The code is only for the browser page. */
    async offer(person: Person, what: Pick<LinkOffer, 'login' | 'forgeUserId' | 'credential'>): Promise<string> {
      const code = String(randomInt(1_000_000)).padStart(6, '0');
      const text = seal.seal(JSON.stringify({ ...what, code, at: now() }), aboutOffer(person));
      await offer(redis, [keys.linkOffer(person)], [text, lifeSeconds]);
      return code;
    },

    /** The account waiting for this person's confirmation. */
    async offerOf(person: Person): Promise<Pick<LinkOffer, 'login'> | undefined> {
      return openOffer(await redis.hget(keys.linkOffer(person), 'sealed'), person);
    },

    /** Each attempt counts; after a few wrong ones the offer is deleted. */
    async redeem(person: Person, code: string): Promise<LinkOffer | 'wrong' | undefined> {
      const text = await attempt(redis, [keys.linkOffer(person)], [mostTries]);
      const found = openOffer(typeof text === 'string' ? text : null, person);
      return found && !same(found.code, code) ? 'wrong' : found;
    },

    drop: async (person: Person): Promise<void> => void (await redis.del(keys.linkOffer(person))),
  };

  function openOffer(text: string | null, person: Person): LinkOffer | undefined {
    if (text === null) return undefined;
    const value = unseal(seal, text, aboutOffer(person));
    if (value === undefined) {
      alarm({ kind: 'link offer', id: `${person.team}/${person.user}`, reason: unopenable, person });
      return undefined;
    }
    const found = Offer.safeParse(value);
    return found.success && isFresh(found.data) ? found.data : undefined;
  }
}

const count = script(`
local begun = redis.call('INCR', KEYS[1])
if begun == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return begun`);

const take = script(`
local text = redis.call('GET', KEYS[1])
redis.call('DEL', KEYS[1])
return text`);

const offer = script(`
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'sealed', ARGV[1], 'tries', 0)
return redis.call('EXPIRE', KEYS[1], ARGV[2])`);

const attempt = script(`
local text = redis.call('HGET', KEYS[1], 'sealed')
if not text then return false end
if redis.call('HINCRBY', KEYS[1], 'tries', 1) >= tonumber(ARGV[1]) then redis.call('DEL', KEYS[1]) end
return text`);
