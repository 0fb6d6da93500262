import type { Accounts } from './accounts.js';
import type { Person } from './ground.js';

type Origin = 'link' | 'config' | 'email';

/** Another source of who is who; asked in the given order, after the links. */
export interface Directory {
  readonly origin: Exclude<Origin, 'link'>;
  personOf(team: string, login: string): Promise<Person | undefined>;
  loginOf(person: Person): Promise<string | undefined>;
  /** Everyone in it, if it is a list. */
  all?(team: string): Promise<readonly { readonly person: Person; readonly login: string }[]>;
}

export interface KnownPerson {
  readonly person: Person;
  readonly login: string;
  readonly origin: Origin;
}

/** Slack person ↔ forge login. What people linked themselves overrides what others configured. */
export function createPeople(accounts: Accounts, directories: readonly Directory[] = []) {
  async function whoIs(team: string, login: string): Promise<KnownPerson | undefined> {
    const [linked] = await accounts.findByLogin(team, login);
    if (linked) return { person: linked.person, login, origin: 'link' };
    for (const directory of directories) {
      const person = await directory.personOf(team, login);
      if (person) return { person, login, origin: directory.origin };
    }
    return undefined;
  }

  return {
    whoIs,
    slackUserOf: async (team: string, login: string): Promise<string | undefined> =>
      (await whoIs(team, login))?.person.user,

    /** Each person once, from the first source that knows them. */
    async listKnown(team: string): Promise<readonly KnownPerson[]> {
      const linked = (await accounts.list(team)).filter((account) => account.verified);
      const found: KnownPerson[] = linked.map(({ person, login }) => ({ person, login, origin: 'link' }));
      for (const { origin, all } of directories) {
        const others = (await all?.(team)) ?? [];
        const isNew = ({ person }: { person: Person }) => !found.some((each) => each.person.user === person.user);
        found.push(...others.filter(isNew).map((each) => ({ ...each, origin })));
      }
      return found.sort((a, b) => a.login.localeCompare(b.login));
    },

    async loginOf(person: Person): Promise<string | undefined> {
      const linked = await accounts.get(person);
      if (linked?.verified) return linked.login;
      for (const directory of directories) {
        const login = await directory.loginOf(person);
        if (login !== undefined) return login;
      }
      return undefined;
    },
  };
}
