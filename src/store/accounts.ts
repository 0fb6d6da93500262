import { z } from 'zod';
import { type Ground, type Person, script, texts, versionedCodec } from './ground.js';
import { type About, type Seal, unseal } from './seal.js';

/** From a sign-in at the forge; it expires and is renewed. */
export const OAuthCredential = z.object({
  kind: z.literal('oauth'),
  access: z.string(),
  /** Works once; absent if the forge gave none. */
  refresh: z.string().optional(),
  expiresAt: z.int(),
  /** How long it was valid when it was issued; absent in older records. */
  lifeMs: z.int().optional(),
});
export type OAuthCredential = z.infer<typeof OAuthCredential>;

export const Credential = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('token'), token: z.string() }),
  z.object({ kind: z.literal('basic'), login: z.string(), secret: z.string() }),
  OAuthCredential,
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
  /** Keyed hash of the account; without it nobody is linked. */
  signed: z.string().default(''),
});
type Row = z.infer<typeof Row>;
export const row = versionedCodec(Row);

const whoIs = ({ login, forgeUserId, verified, scopes = [], linkedAt, credential }: Omit<Row, 'signed'>): string =>
  JSON.stringify([login, forgeUserId, verified, scopes, linkedAt, credential]);

/** The credential is sealed and the account signed, both for this person only. */
export function accountSeal(seal: Seal, forge: string) {
  const identity = ({ team, user }: Person): About => ['account', forge, team, user];
  const sign = (person: Person, one: Omit<Row, 'signed'>): Row => ({
    ...one,
    signed: seal.mac(whoIs(one), identity(person)),
  });
  const isOurs = (person: Person, one: Row): boolean => seal.checkMac(one.signed, whoIs(one), identity(person));
  return {
    about: ({ team, user }: Person): About => ['credential', forge, team, user],
    sign,
    isOurs,
    /** The same account with another credential; signed anew only if the old signature was ours. */
    withCredential: (person: Person, one: Row, credential: string): Row =>
      isOurs(person, one) ? sign(person, { ...one, credential }) : { ...one, credential },
  };
}

// KEYS: the accounts, their index, who is revoked; ARGV[1]: the user.

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
redis.call('DEL', unpack(KEYS, 4))
return redis.call('HDEL', KEYS[1], ARGV[1])`);

// a late report about an older link must not undo a new one
const revoke = script(`
local text = redis.call('HGET', KEYS[1], ARGV[1])
if not text or string.format('%.0f', cjson.decode(text).linkedAt) ~= ARGV[2] then return 0 end
return redis.call('SADD', KEYS[3], ARGV[1])`);

// only if nothing else has changed it since it was read, such as a renewal
const move = script(`
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
${unindex}
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
for _, entry in ipairs(cjson.decode(ARGV[3]).index) do redis.call('ZADD', KEYS[2], 0, entry) end
return 1`);

export const replace = script(`
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1`);

/** A linked account without its credential, which is read separately. */
export interface Account {
  readonly person: Person;
  readonly login: string;
  /** Set only if the forge confirmed the account. */
  readonly forgeUserId: number | null;
  readonly verified: boolean;
  readonly scopes?: readonly string[];
  readonly linkedAt: number;
  readonly state: 'active' | 'revoked';
}

interface Link {
  readonly login: string;
  readonly forgeUserId: number | null;
  readonly verified: boolean;
  readonly scopes?: readonly string[];
  readonly credential: Credential;
}

export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts({ redis, forge, keys, seal, now, alarm }: Ground) {
  const keysOf = ({ team }: { team: string }) => [
    keys.accounts({ team }),
    keys.accountIndex({ team }),
    keys.revoked({ team }),
  ];
  const { about, isOurs, sign, withCredential } = accountSeal(seal, forge);
  /** An account the forge did not confirm maps to nobody. */
  const indexOf = (
    { user }: Person,
    { login, forgeUserId, verified }: Pick<Account, 'login' | 'forgeUserId' | 'verified'>,
  ) => (verified ? [`login ${login.toLowerCase()} ${user}`, `id ${forgeUserId} ${user}`] : []);
  const rowOf = async ({ team, user }: Person) => {
    const text = await redis.hget(keys.accounts({ team }), user);
    return text === null ? undefined : row.decode(text);
  };
  const read = (person: Person, text: string, revoked: boolean): Account => {
    const one = row.decode(text);
    const { login, linkedAt, scopes, credential } = one;
    const ours = isOurs(person, one);
    const opens = seal.opens(credential, about(person));
    // an undecryptable credential counts as none: the person links again
    const dead = revoked || !ours || !opens;
    const reason = opens ? 'who it belongs to was changed' : 'changed, or copied from someone else';
    // one of a key that was removed is nobody's forgery
    if (!ours && (opens || seal.hasKeyOf(one.signed)))
      alarm({ kind: 'account', id: `${person.team}/${person.user}`, reason, person });
    const { forgeUserId, verified } = ours ? one : { forgeUserId: null, verified: false };
    const seen = { login, forgeUserId, verified, linkedAt, ...(scopes ? { scopes } : {}) };
    return { person, ...seen, state: dead ? 'revoked' : 'active' };
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
    const indexNames = ({ login, forgeUserId }: Account) => [`login ${login.toLowerCase()}`, `id ${forgeUserId}`];
    return (
      accounts
        .filter((each) => each !== undefined)
        // an unverified account maps to nobody, whatever the index says
        .filter((each) => each.verified && indexNames(each).includes(entry))
        .sort((a, b) => a.linkedAt - b.linkedAt)
    );
  };

  return {
    get,

    async put(person: Person, { credential, ...link }: Link): Promise<Account> {
      const { scopes, ...rest } = link;
      const text = row.encode(
        sign(person, {
          ...rest,
          ...(scopes ? { scopes: [...scopes] } : {}),
          linkedAt: now(),
          credential: seal.seal(JSON.stringify(credential), about(person)),
          index: indexOf(person, link),
        }),
      );
      // the list of teams may have one too many, never one too few
      await redis.sadd(keys.teams(), person.team);
      await put(redis, keysOf(person), [person.user, text]);
      return read(person, text, false);
    },

    /** Stores the login this account has at the forge now; its credential may be renewed meanwhile and stays. */
    async rename({ person, linkedAt }: Account, login: string): Promise<void> {
      for (;;) {
        const text = await redis.hget(keys.accounts(person), person.user);
        if (text === null) return;
        const old = row.decode(text);
        if (old.linkedAt !== linkedAt || !isOurs(person, old)) return;
        const named = { ...old, login };
        const next = row.encode(sign(person, { ...named, index: indexOf(person, named) }));
        if ((await move(redis, keysOf(person), [person.user, text, next])) === 1) return;
      }
    },

    /** Undefined if nobody is linked, or if the sealing key is gone. */
    async credential(person: Person): Promise<Credential | undefined> {
      const found = await rowOf(person);
      const open = found && unseal(seal, found.credential, about(person));
      return open === undefined ? undefined : Credential.parse(open);
    },

    /** How many of the workspace's credentials our keys cannot decrypt. */
    async countLost(team: string): Promise<number> {
      const rows = Object.entries(await redis.hgetall(keys.accounts({ team })));
      return rows.filter(([user, text]) => !seal.opens(row.decode(text).credential, about({ team, user }))).length;
    },

    /** Everyone in the workspace linked to this login, earliest link first. */
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

    count: (team: string): Promise<number> => redis.hlen(keys.accounts({ team })),

    /** About so many of the workspace, and where to go on; `0` begins, and ends the round. */
    async some(team: string, from: string, about: number): Promise<{ next: string; accounts: Account[] }> {
      const [next, rows] = await redis.hscan(keys.accounts({ team }), from, 'COUNT', about);
      const users = rows.filter((_, at) => at % 2 === 0);
      const revoked = users.length === 0 ? [] : await redis.smismember(keys.revoked({ team }), ...users);
      const accounts = users.map((user, at) => read({ team, user }, rows[2 * at + 1] ?? '', revoked[at] === 1));
      return { next, accounts };
    },

    /** True only for the first report about this link, so that its person is asked once. */
    markRevoked: async (person: Person, linkedAt: number): Promise<boolean> =>
      (await revoke(redis, keysOf(person), [person.user, linkedAt])) === 1,

    /** Deletes everything about the person: link, pending command, settings, undo. True if they were linked. */
    async forget(person: Person): Promise<boolean> {
      const own = [keys.pending(person), keys.settings(person), keys.undo(person), keys.linkOffer(person)];
      return (await forget(redis, [...keysOf(person), ...own], [person.user])) === 1;
    },

    /** Reseals every credential of the workspace with the first key; returns how many changed. */
    async reseal(team: string): Promise<number> {
      const rows = Object.entries(await redis.hgetall(keys.accounts({ team })));
      const changed = rows.map(async ([user, text]) => {
        const old = row.decode(text);
        const person = { team, user };
        if (!seal.opens(old.credential, about(person))) return 0;
        const credential = seal.reseal(old.credential, about(person));
        if (credential === old.credential) return 0;
        const next = row.encode(withCredential(person, old, credential));
        return replace(redis, [keys.accounts({ team })], [user, text, next]);
      });
      return (await Promise.all(changed)).filter((each) => each === 1).length;
    },
  };
}
