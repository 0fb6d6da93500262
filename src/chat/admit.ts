import type { PolicyFile } from '../config.js';
import { asCode, UserError } from '../errors.js';
import { type Forge, serverName } from '../forge/index.js';
import type { AnyCommand } from './command.js';
import type { Person, Role } from './context.js';

export const rank: Readonly<Record<Role, number>> = { everyone: 0, maintainer: 1, admin: 2 };

export function atLeast(held: Role, wanted: Role): boolean {
  return rank[held] >= rank[wanted];
}

interface Members {
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

export interface Roles {
  /** Cached: the people the config names, and the groups as last read. */
  of(person: Person): Role;
  /** With the groups read fresh if they could change the answer; for final decisions. */
  fresh(person: Person): Promise<Role>;
  /** Named people or members of named groups, with the groups read fresh. */
  isAmong(person: Person, members: Members): Promise<boolean>;
  /** Everyone with this role or named here, with the groups read fresh; undefined means everyone. */
  holders(wanted: Role | Members): Promise<readonly string[] | undefined>;
  refresh(): Promise<void>;
}

interface RolesSources {
  readonly roles: PolicyFile['roles'];
  /** The only workspace served; everyone else is a stranger. */
  readonly team: string;
  groupMembers(group: string): Promise<readonly string[]>;
}

export function createRoles({ roles, team, groupMembers }: RolesSources): Roles {
  const members = new Map<string, ReadonlySet<string>>();
  const groups = [...new Set([...(roles.admin?.groups ?? []), ...(roles.maintainer?.groups ?? [])])];

  const read = async (group: string) => {
    const set = new Set(await groupMembers(group));
    members.set(group, set);
    return set;
  };
  const isNamed = (person: Person, named: Members | undefined) => named?.users.includes(person.user) ?? false;
  const holds = (person: Person, named: Members | undefined) =>
    isNamed(person, named) || (named?.groups.some((group) => members.get(group)?.has(person.user)) ?? false);
  const of = (person: Person): Role => {
    if (person.team !== team) return 'everyone';
    if (holds(person, roles.admin)) return 'admin';
    return holds(person, roles.maintainer) ? 'maintainer' : 'everyone';
  };
  const refresh = async () => {
    await Promise.all(groups.map(read));
  };
  return {
    of,
    refresh,
    async fresh(person) {
      if (person.team !== team) return 'everyone';
      if (isNamed(person, roles.admin)) return 'admin';
      const telling = isNamed(person, roles.maintainer) ? (roles.admin?.groups ?? []) : groups;
      await Promise.all(telling.map(read));
      return of(person);
    },
    async holders(wanted) {
      if (wanted === 'everyone') return undefined;
      const ranks = wanted === 'admin' ? [roles.admin] : [roles.admin, roles.maintainer];
      const named = typeof wanted === 'string' ? ranks : [wanted];
      const sets = await Promise.all(named.flatMap((each) => each?.groups ?? []).map(read));
      return [...new Set([...named.flatMap((each) => each?.users ?? []), ...sets.flatMap((set) => [...set])])];
    },
    async isAmong(person, named) {
      if (person.team !== team) return false;
      if (isNamed(person, named)) return true;
      const sets = await Promise.all(named.groups.map(read));
      return sets.some((set) => set.has(person.user));
    },
  };
}

const holders: Readonly<Record<Role, string>> = {
  everyone: 'everyone',
  maintainer: 'maintainers',
  admin: 'admins',
};

/** Runs before anything is stored or shown; an unknown role admits nobody. */
export function refuseRole(command: Pick<AnyCommand, 'name' | 'role'>, held: Role): void {
  if (atLeast(held, command.role)) return;
  throw new UserError(`Only ${holders[command.role]} can use ${asCode(command.name)}. Ask one to run it.`);
}

/** Names the version that adds it, before any request is sent. */
export async function refuseUnsupported(command: Pick<AnyCommand, 'name' | 'needs'>, forge: Forge): Promise<void> {
  for (const name of command.needs ?? []) {
    if (await forge.capabilities.has(name)) continue;
    const server = serverName(await forge.capabilities.server());
    throw new UserError(`${server} does not support ${command.name}: ${await forge.capabilities.remedy(name)}.`);
  }
}

export async function isSupported(command: Pick<AnyCommand, 'needs'>, forge: Forge): Promise<boolean> {
  const known = await Promise.all((command.needs ?? []).map((name) => forge.capabilities.has(name)));
  return known.every(Boolean);
}
