import type { Accounts } from './accounts.js';
import type { Person } from './ground.js';

export type Origin = 'link' | 'config' | 'email';

/** Another source of who is who; asked in the given order, after the links. */
export interface Directory {
  readonly origin: Exclude<Origin, 'link'>;
  personOf(team: string, login: string): Promise<Person | undefined>;
  loginOf(person: Person): Promise<string | undefined>;
  /** Everyone in it, if it is a list. */
  all?(team: string): Promise<readonly { readonly person: Person; readonly login: string }[]>;
}

/** Slack person ↔ forge login. What people linked themselves overrides what others configured. */
export function createPeople(accounts: Accounts, directories: readonly Directory[] = []) {
  return {
    async personOf(team: string, login: string): Promise<{ person: Person; origin: Origin } | undefined> {
      const [linked] = await accounts.findByLogin(team, login);
      if (linked) return { person: linked.person, origin: 'link' };
      for (const directory of directories) {
        const person = await directory.personOf(team, login);
        if (person) return { person, origin: directory.origin };
      }
      return undefined;
    },

    /** Each person once, from the first source that knows them. */
    async all(team: string): Promise<{ person: Person; login: string; origin: Origin }[]> {
      const linked = (await accounts.list(team)).filter((account) => account.verified);
      const found = linked.map(({ person, login }) => ({ person, login, origin: 'link' as Origin }));
      for (const { origin, all } of directories) {
        const others = (await all?.(team)) ?? [];
        const isNew = ({ person }: { person: Person }) => !found.some((each) => each.person.user === person.user);
        found.push(...others.filter(isNew).map((each) => ({ ...each, origin })));
      }
      return found.sort((a, b) => a.login.localeCompare(b.login));
    },

    async loginOf(person: Person): Promise<{ login: string; origin: Origin } | undefined> {
      const linked = await accounts.get(person);
      if (linked?.verified) return { login: linked.login, origin: 'link' };
      for (const directory of directories) {
        const login = await directory.loginOf(person);
        if (login !== undefined) return { login, origin: directory.origin };
      }
      return undefined;
    },
  };
}
