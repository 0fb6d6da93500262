import type { Label } from './label.js';

export const levels = ['none', 'read', 'write', 'admin', 'owner'] as const;
export type Level = (typeof levels)[number];

export const units = ['code', 'issues', 'pulls', 'releases', 'wiki', 'projects', 'packages', 'actions'] as const;
export type Unit = (typeof units)[number];

interface Address {
  email: string;
  verified: boolean;
}

/** A person, a bot or an organization: the forge keeps them in one table. */
export interface User {
  readonly id: number;
  login: string;
  readonly kind: 'User' | 'Organization' | 'Bot';
  fullName: string;
  email: string;
  /** Name of the picture: a digest of the address. */
  readonly avatar: string;
  readonly moreEmails: Address[];
  /** Of an organization: for the issues of all its repositories. */
  readonly labels: Label[];
  /** Bots and organizations have none. */
  password: string | undefined;
  admin: boolean;
  active: boolean;
  prohibitLogin: boolean;
  visibility: 'public' | 'limited' | 'private';
  readonly created: number;
  lastLogin: number;
  description: string;
  keepEmailPrivate: boolean;
  hideActivity: boolean;
  readonly formerLogins: string[];
}

export interface Team {
  readonly id: number;
  readonly org: User;
  name: string;
  description: string;
  permission: Level;
  readonly units: Map<Unit, Level>;
  allRepos: boolean;
  canCreateRepos: boolean;
  visibility: 'public' | 'limited' | 'private';
  readonly members: Set<User>;
  readonly repos: Set<number>;
}

export interface Token {
  readonly id: number;
  readonly user: User;
  readonly name: string;
  readonly secret: string;
  readonly scopes: readonly string[];
  readonly created: number;
  /** In seconds; of an application's token. */
  readonly expires?: number;
  /** The consent it was made from. */
  readonly grant?: number;
}
