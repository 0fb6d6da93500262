import { z } from 'zod';
import type { Ground, Person } from './ground.js';
import { script } from './script.js';
import { type About, unsealed } from './seal.js';
import { texts, versioned } from './value.js';

export const Credential = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('token'), token: z.string() }),
  z.object({ kind: z.literal('basic'), login: z.string(), secret: z.string() }),
]);
export type Credential = z.infer<typeof Credential>;

const Row = z.object({
  login: z.string(),
  forgeUserId: z.int().nullable(),
  verified: z.boolean(),
  scopes: texts.optional(),
  linkedAt: z.int(),
  credential: z.string(),
  index: texts,
});
const row = versioned(Row);

/** A linked account as everybody may see it; the credential is asked for by name. */
export interface Account {
  readonly person: Person;
  readonly login: string;
  /** Known only when the forge said who this is. */
  readonly forgeUserId: number | null;
  readonly verified: boolean;
  readonly scopes?: readonly string[];
  readonly linkedAt: number;
  readonly state: 'active' | 'revoked';
}

export interface Link {
  readonly login: string;
  readonly forgeUserId: number | null;
  readonly verified: boolean;
  readonly scopes?: readonly string[];
  readonly credential: Credential;
}

export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts({ redis, forge, keys, seal, now }: Ground) {
  const keysOf = ({ team }: { team: string }) => [
    keys.accounts({ team }),
    keys.accountIndex({ team }),
    keys.revoked({ team }),
  ];
  const about = ({ team, user }: Person): About => ['credential', forge, team, user];
  const rowOf = async ({ team, user }: Person) => {
    const text = await redis.hget(keys.accounts({ team }), user);
    return text === null ? undefined : row.decode(text);
  };
  const read = (person: Person, text: string, revoked: boolean): Account => {
    const { credential, index: _, scopes, ...seen } = row.decode(text);
    // what cannot be opened is as good as none: its person links again
    const dead = revoked || !seal.opens(credential, about(person));
    return { person, ...seen, ...(scopes ? { scopes } : {}), state: dead ? 'revoked' : 'active' };
  };

  const get = async (person: Person): Promise<Account | undefined> => {
    const { team, user } = person;
    const [text, revoked] = await Promise.all([
      redis.hget(keys.accounts({ team }), user),
      redis.sismember(keys.revoked({ team }), user),
    ]);
    return text === null ? undefined : read(person, text, revoked === 1);
  };

  const find = async (team: string, entry: string): Promise<Account[]> => {
    const found = await redis.zrangebylex(keys.accountIndex({ team }), `[${entry} `, `(${entry}!`);
    const accounts = await Promise.all(found.map((each) => get({ team, user: each.slice(entry.length + 1) })));
    return accounts.filter((each) => each !== undefined).sort((a, b) => a.linkedAt - b.linkedAt);
  };

  return {
    get,

    async put(person: Person, { credential, ...link }: Link): Promise<Account> {
      // an account the forge did not vouch for maps to nobody
      const names = link.verified ? [`login ${link.login.toLowerCase()}`, `id ${link.forgeUserId}`] : [];
      const { scopes, ...rest } = link;
      const text = row.encode({
        ...rest,
        ...(scopes ? { scopes: [...scopes] } : {}),
        linkedAt: now(),
        credential: seal.seal(JSON.stringify(credential), about(person)),
        index: names.map((name) => `${name} ${person.user}`),
      });
      // the list of teams may name one too many, never one too few
      await redis.sadd(keys.teams(), person.team);
      await put(redis, keysOf(person), [person.user, text]);
      return read(person, text, false);
    },

    /** Undefined where nobody is linked, or where the key that sealed it is gone. */
    async credential(person: Person): Promise<Credential | undefined> {
      const found = await rowOf(person);
      const open = found && unsealed(seal, found.credential, about(person));
      return open === undefined ? undefined : Credential.parse(open);
    },

    /** How many credentials of the workspace cannot be opened with the keys we have. */
    async lost(team: string): Promise<number> {
      const rows = Object.entries(await redis.hgetall(keys.accounts({ team })));
      return rows.filter(([user, text]) => !seal.opens(row.decode(text).credential, about({ team, user }))).length;
    },

    /** Everyone of the workspace linked to this login, who linked first first. */
    findByLogin: (team: string, login: string) => find(team, `login ${login.toLowerCase()}`),
    findByForgeUser: (team: string, forgeUserId: number) => find(team, `id ${forgeUserId}`),

    async list(team: string): Promise<Account[]> {
      const [rows, revoked] = await Promise.all([
        redis.hgetall(keys.accounts({ team })),
        redis.smembers(keys.revoked({ team })),
      ]);
      const gone = new Set(revoked);
      return Object.entries(rows).map(([user, text]) => read({ team, user }, text, gone.has(user)));
    },

    teams: () => redis.smembers(keys.teams()),

    /** True only for the first report about this link, so that its person is asked once. */
    markRevoked: async (person: Person, linkedAt: number): Promise<boolean> =>
      (await revoke(redis, keysOf(person), [person.user, linkedAt])) === 1,

    /** Everything kept about the person themselves: link, waiting command, settings, undo. True if they were linked. */
    async forget(person: Person): Promise<boolean> {
      const own = [keys.pending(person), keys.settings(person), keys.undo(person)];
      return (await forget(redis, [...keysOf(person), ...own], [person.user])) === 1;
    },

    /** Puts every credential of the workspace under the first key; returns how many changed. */
    async reseal(team: string): Promise<number> {
      const rows = Object.entries(await redis.hgetall(keys.accounts({ team })));
      const changed = rows.map(async ([user, text]) => {
        const old = row.decode(text);
        if (!seal.opens(old.credential, about({ team, user }))) return 0;
        const credential = seal.reseal(old.credential, about({ team, user }));
        if (credential === old.credential) return 0;
        return replace(redis, [keys.accounts({ team })], [user, text, row.encode({ ...old, credential })]);
      });
      return (await Promise.all(changed)).filter((each) => each === 1).length;
    },
  };
}

const unindex = `
local old = redis.call('HGET', KEYS[1], ARGV[1])
if old then
  for _, entry in ipairs(cjson.decode(old).index) do redis.call('ZREM', KEYS[2], entry) end
end`;

const put = script(`${unindex}
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
for _, entry in ipairs(cjson.decode(ARGV[2]).index) do redis.call('ZADD', KEYS[2], 0, entry) end
redis.call('SREM', KEYS[3], ARGV[1])
return 1`);

const forget = script(`${unindex}
redis.call('SREM', KEYS[3], ARGV[1])
redis.call('DEL', KEYS[4], KEYS[5], KEYS[6])
return redis.call('HDEL', KEYS[1], ARGV[1])`);

// a late report about an older link must not undo a new one
const revoke = script(`
local text = redis.call('HGET', KEYS[1], ARGV[1])
if not text or string.format('%.0f', cjson.decode(text).linkedAt) ~= ARGV[2] then return 0 end
return redis.call('SADD', KEYS[3], ARGV[1])`);

const replace = script(`
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1`);
