import { createOrg, createTeam, createUser, type NewTeam, type NewUser } from '../acts/people.js';
import { createProject, type NewProject } from '../acts/projects.js';
import { registerApp, revokeGrants } from '../oauth/grants.js';
import { findTeam, findUser, person, repository } from '../state/find.js';
import type { OAuthApp } from '../state/oauth.js';
import type { Team, User } from '../state/people.js';
import type { Package, Project, Thread } from '../state/records.js';
import type { Issue, Repo } from '../state/repo.js';
import type { State } from '../state/state.js';
import { issueVerbs } from './issues.js';
import { pullVerbs } from './pulls.js';
import { repoVerbs } from './repos.js';
import { runVerbs } from './runs.js';

interface NewPackage {
  readonly as: string;
  readonly owner: string;
  readonly repo?: string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
}

const peopleVerbs = (state: State) => ({
  createUser: (what: NewUser): User => createUser(state, what),
  createOrg: (what: { readonly as: string } & Omit<NewUser, 'kind'>): User =>
    createOrg(state, person(state, what.as), what),
  /** For a person or an organization: who may see them, and thereby their repositories. */
  setVisibility: (what: { readonly login: string; readonly visibility: User['visibility'] }): void => {
    person(state, what.login).visibility = what.visibility;
  },
  createTeam: (what: { readonly org: string; readonly members?: readonly string[] } & NewTeam): Team => {
    const team = createTeam(state, person(state, what.org), what);
    for (const login of what.members ?? []) team.members.add(person(state, login));
    return team;
  },
  addTeamMember: (what: { readonly org: string; readonly team: string; readonly login: string }): void => {
    findTeam(state, person(state, what.org), what.team)?.members.add(person(state, what.login));
  },
  removeTeamMember: (what: { readonly org: string; readonly team: string; readonly login: string }): void => {
    findTeam(state, person(state, what.org), what.team)?.members.delete(person(state, what.login));
  },
  addTeamRepo: (what: { readonly org: string; readonly team: string; readonly repo: string }): void => {
    findTeam(state, person(state, what.org), what.team)?.repos.add(repository(state, what.repo).id);
  },
  /** Permanently; what they did stays, without a name. */
  deleteUser: (what: { readonly login: string }): void => {
    const user = person(state, what.login);
    state.users.delete(user.id);
    for (const [secret, token] of state.tokens) if (token.user === user) state.tokens.delete(secret);
  },
  revokeTokens: (what: { readonly login: string }): void => {
    for (const [secret, token] of state.tokens) {
      if (token.user.login === what.login) state.tokens.delete(secret);
    }
  },
  registerApp: (what: { readonly as: string } & Pick<OAuthApp, 'name' | 'redirectUris' | 'confidential'>): OAuthApp =>
    registerApp(state, person(state, what.as), what),
  /** Revokes their consent to every application. */
  revokeGrants: (what: { readonly login: string }): void => revokeGrants(state, what.login),
});

const otherVerbs = (state: State) => ({
  createProject: (what: { readonly as: string; readonly repo?: string } & NewProject): Project => {
    const creator = person(state, what.as);
    return createProject(
      state,
      creator,
      what.repo === undefined ? { owner: creator } : { repo: repository(state, what.repo) },
      what,
    );
  },
  publishPackage: (what: NewPackage): Package => {
    const made: Package = {
      id: state.nextId('package'),
      owner: person(state, what.owner),
      repo: what.repo === undefined ? undefined : repository(state, what.repo),
      creator: person(state, what.as),
      type: what.type,
      name: what.name,
      version: what.version,
      created: state.now(),
    };
    state.packages.push(made);
    return made;
  },
  setTies: (ties: State['site']['ties']): void => {
    state.site.ties = ties;
  },
  /** How rows are written from now on; existing ones stay. */
  setRowForm: (form: State['site']['rowForm']): void => {
    state.site.rowForm = form;
  },
  /** Imports take this long from now on. */
  slowMigrations: (milliseconds: number): void => {
    state.site.migrationMs = milliseconds;
  },
  /** Does `work` as if it were then; whole seconds since 1970. */
  at: state.at,
});

const readers = (state: State) => ({
  user: (login: string): User | undefined => findUser(state, login),
  repo: (name: string): Repo => repository(state, name),
  issue: (name: string, index: number): Issue | undefined => repository(state, name).issues.get(index),
  run: (id: number) => state.runs.get(id),
  threadsOf: (login: string): Thread[] => [...state.threads.values()].filter((thread) => thread.user.login === login),
  /** Resolves once every pending hook was answered or abandoned. */
  delivered: async (): Promise<State['deliveries']> => {
    while (state.pending.size > 0) await Promise.all(state.pending);
    return state.deliveries;
  },
});

/** What people do on the forge, with all its effects: rows, notifications, hooks. */
export function createWorld(state: State) {
  return {
    ...peopleVerbs(state),
    ...repoVerbs(state),
    ...issueVerbs(state),
    ...pullVerbs(state),
    ...runVerbs(state),
    ...otherVerbs(state),
    ...readers(state),
    state,
  };
}

export type World = ReturnType<typeof createWorld>;
