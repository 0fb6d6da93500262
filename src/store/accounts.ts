import { accountSeal, Credential, row } from './account-row.js';
import { forget, move, put, replace, revoke } from './account-scripts.js';
import type { Ground, Person } from './ground.js';
import { unsealed } from './seal.js';

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

export interface Link {
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
  const { about, isOurs, signed, withCredential } = accountSeal(seal, forge);
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
    // an undecryptable credential counts as none: the person links again
    const dead = revoked || !ours || !seal.opens(credential, about(person));
    if (!ours && seal.opens(credential, about(person)))
      alarm({ kind: 'account', id: `${person.team}/${person.user}`, reason: 'who it belongs to was changed', person });
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
    const named = ({ login, forgeUserId }: Account) => [`login ${login.toLowerCase()}`, `id ${forgeUserId}`];
    return (
      accounts
        .filter((each) => each !== undefined)
        // an unverified account maps to nobody, whatever the index says
        .filter((each) => each.verified && named(each).includes(entry))
        .sort((a, b) => a.linkedAt - b.linkedAt)
    );
  };

  return {
    get,

    async put(person: Person, { credential, ...link }: Link): Promise<Account> {
      const { scopes, ...rest } = link;
      const text = row.encode(
        signed(person, {
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
        const next = row.encode(signed(person, { ...named, index: indexOf(person, named) }));
        if ((await move(redis, keysOf(person), [person.user, text, next])) === 1) return;
      }
    },

    /** Undefined if nobody is linked, or if the sealing key is gone. */
    async credential(person: Person): Promise<Credential | undefined> {
      const found = await rowOf(person);
      const open = found && unsealed(seal, found.credential, about(person));
      return open === undefined ? undefined : Credential.parse(open);
    },

    /** How many of the workspace's credentials our keys cannot decrypt. */
    async lost(team: string): Promise<number> {
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

    /** Who is linked, without details; undefined if there are more than `most`. */
    async users(team: string, most: number): Promise<string[] | undefined> {
      const count = await redis.hlen(keys.accounts({ team }));
      return count > most ? undefined : redis.hkeys(keys.accounts({ team }));
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
