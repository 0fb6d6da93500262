import { createHash } from 'node:crypto';
import type { Level, Team, Token, Unit, User } from '../state/people.js';
import { units } from '../state/people.js';
import type { State } from '../state/state.js';

export interface NewUser {
  readonly login: string;
  readonly kind?: User['kind'];
  readonly fullName?: string;
  readonly email?: string;
  readonly password?: string | undefined;
  readonly admin?: boolean;
  readonly description?: string;
  readonly visibility?: User['visibility'];
}

export function createUser(state: State, what: NewUser): User {
  const kind = what.kind ?? 'User';
  const email = what.email ?? (kind === 'Organization' ? '' : `${what.login}@example.org`);
  const user: User = {
    id: state.nextId('user'),
    login: what.login,
    kind,
    fullName: what.fullName ?? '',
    email,
    avatar: createHash('md5')
      .update(email || what.login)
      .digest('hex'),
    moreEmails: [],
    password: what.password,
    admin: what.admin ?? false,
    active: true,
    prohibitLogin: false,
    visibility: what.visibility ?? 'public',
    created: state.now(),
    lastLogin: 0,
    description: what.description ?? '',
    keepEmailPrivate: false,
    hideActivity: false,
    formerLogins: [],
    labels: [],
  };
  state.users.set(user.id, user);
  return user;
}

export interface NewTeam {
  readonly name: string;
  readonly permission?: Level;
  readonly units?: Readonly<Partial<Record<Unit, Level>>>;
  readonly allRepos?: boolean;
  readonly canCreateRepos?: boolean;
  readonly description?: string;
}

export function createTeam(state: State, org: User, what: NewTeam): Team {
  const given = what.units ?? {};
  const team: Team = {
    id: state.nextId('team'),
    org,
    name: what.name,
    description: what.description ?? '',
    permission: what.permission ?? 'none',
    units: new Map(units.flatMap((unit) => (given[unit] === undefined ? [] : [[unit, given[unit]]]))),
    allRepos: what.allRepos ?? false,
    canCreateRepos: what.canCreateRepos ?? false,
    visibility: 'private',
    members: new Set(),
    repos: new Set(),
  };
  state.teams.set(team.id, team);
  return team;
}

/** An organization starts with its owners' team. */
export function createOrg(state: State, owner: User, what: Omit<NewUser, 'kind'>): User {
  const org = createUser(state, { ...what, kind: 'Organization' });
  const owners = createTeam(state, org, {
    name: 'Owners',
    permission: 'owner',
    allRepos: true,
    canCreateRepos: true,
    units: Object.fromEntries(units.map((unit) => [unit, 'owner'])),
  });
  owners.members.add(owner);
  return org;
}

/** The secret is derived from names and number, so that a seeded forge is always the same. */
export function createToken(
  state: State,
  user: User,
  name: string,
  scopes: readonly string[],
  more: Partial<Token> = {},
): Token {
  const id = state.nextId('token');
  const secret = createHash('sha1').update(`token ${id} of ${user.login} for ${name}`).digest('hex');
  const token: Token = { id, user, name, secret, scopes, created: state.now(), ...more };
  state.tokens.set(token.secret, token);
  return token;
}

export function renameUser(user: User, login: string): void {
  user.formerLogins.push(user.login.toLowerCase());
  user.login = login;
}
