import { teamsOf } from '../state/find.js';
import type { Label } from '../state/label.js';
import type { User } from '../state/people.js';
import { fullName, type Milestone, type Repo } from '../state/repo.js';
import { changed, type State } from '../state/state.js';
import { commit } from './commits.js';
import { record } from './feed.js';
import { push } from './git.js';
import { emit } from './hooks.js';

export interface NewRepo {
  readonly name: string;
  readonly description?: string;
  readonly private?: boolean;
  readonly template?: boolean;
  readonly mirror?: boolean;
  readonly autoInit?: boolean;
  readonly defaultBranch?: string;
  readonly language?: string;
  readonly originalUrl?: string;
  readonly topics?: readonly string[];
}

/** In an organization, everyone with access to all repositories watches a new one. */
function firstWatchers(state: State, actor: User, owner: User): Set<User> {
  const all = teamsOf(state, owner).flatMap((team) => (team.allRepos ? [...team.members] : []));
  return new Set([actor, ...all].filter((user) => user.kind !== 'Organization'));
}

export function createRepo(state: State, actor: User, owner: User, what: NewRepo): Repo {
  const now = state.now();
  const repo: Repo = {
    id: state.nextId('repo'),
    owner,
    name: what.name,
    formerNames: new Set(),
    description: what.description ?? '',
    private: what.private ?? false,
    archivedAt: undefined,
    mirror: what.mirror ?? false,
    fork: false,
    template: what.template ?? false,
    defaultBranch: what.defaultBranch || 'main',
    language: what.language ?? '',
    originalUrl: what.originalUrl ?? '',
    topics: [...(what.topics ?? [])],
    created: now,
    updated: now,
    commits: new Map(),
    branches: new Map(),
    tags: new Map(),
    statuses: [],
    workflows: new Map(),
    disabledWorkflows: new Set(),
    texts: new Map(),
    collaborators: new Map(),
    watchers: firstWatchers(state, actor, owner),
    stargazers: new Set(),
    issues: new Map(),
    labels: [],
    milestones: [],
    releases: new Map(),
    runs: 0,
    protections: new Map(),
    merging: { stylesOff: [], defaultStyle: 'merge', deletesBranch: false, rebaseUpdate: true, updateStyle: 'merge' },
    timeTracking: true,
    dependencies: true,
  };
  state.repos.set(repo.id, repo);
  if (what.autoInit === true) {
    const first = commit(state, repo, actor, { message: 'Initial commit' }, []);
    repo.branches.set(repo.defaultBranch, first.sha);
  }
  copyDefaultHooks(state, repo);
  record(state, { op: 'create_repo', actor, repo });
  tellHooks(state, actor, repo, 'created');
  changed(state, 'repository', repo);
  return repo;
}

function tellHooks(state: State, sender: User, repo: Repo, action: string): void {
  emit(state, { event: 'repository', type: 'repository', repo, sender, payload: () => ({ action }) });
}

function copyDefaultHooks(state: State, repo: Repo): void {
  for (const hook of [...state.hooks.values()]) {
    if (hook.scope !== 'default') continue;
    const id = state.nextId('hook');
    state.hooks.set(id, { ...hook, id, scope: repo });
  }
}

export function importRepo(state: State, actor: User, owner: User, what: NewRepo): Repo {
  const repo = createRepo(state, actor, owner, what);
  push(state, actor, repo, { branch: repo.defaultBranch, commits: ['Initial commit'] });
  return repo;
}

export function renameRepo(state: State, actor: User, repo: Repo, name: string): void {
  const before = repo.name;
  repo.formerNames.add(fullName(repo).toLowerCase());
  repo.name = name;
  record(state, { op: 'rename_repo', actor, repo, content: before });
  tellHooks(state, actor, repo, 'renamed');
  changed(state, 'repository', repo);
}

export function transferRepo(state: State, actor: User, repo: Repo, owner: User): void {
  const before = fullName(repo);
  repo.formerNames.add(before.toLowerCase());
  repo.owner = owner;
  record(state, { op: 'transfer_repo', actor, repo, content: before });
  changed(state, 'repository', repo);
}

/** Every existing row becomes private with it. */
export function setPrivate(state: State, repo: Repo, isPrivate: boolean): void {
  repo.private = isPrivate;
  for (const row of state.feed.ofRepo(repo)) row.private = isPrivate;
  repo.updated = state.now();
  changed(state, 'repository', repo);
}

export function archive(state: State, repo: Repo, archived: boolean): void {
  repo.archivedAt = archived ? state.now() : undefined;
  changed(state, 'repository', repo);
}

export function deleteRepo(state: State, actor: User, repo: Repo): void {
  tellHooks(state, actor, repo, 'deleted');
  for (const issue of repo.issues.values()) state.issues.delete(issue.id);
  for (const [id, thread] of state.threads) if (thread.repo === repo) state.threads.delete(id);
  for (const [id, run] of state.runs) if (run.repo === repo) state.runs.delete(id);
  state.feed.forget(repo);
  state.repos.delete(repo.id);
  changed(state, 'repository', repo);
}

/** To a repository, or to an organization and thereby to all of its repositories. */
export function addLabel(
  state: State,
  to: { readonly labels: Label[] },
  name: string,
  color = 'ededed',
  description = '',
): Label {
  const label: Label = { id: state.nextId('label'), name, color, description };
  to.labels.push(label);
  return label;
}

export function addMilestone(state: State, repo: Repo, title: string, dueOn?: number): Milestone {
  const now = state.now();
  const milestone: Milestone = {
    id: state.nextId('milestone'),
    title,
    description: '',
    state: 'open',
    created: now,
    updated: now,
    closedAt: undefined,
    dueOn,
  };
  repo.milestones.push(milestone);
  return milestone;
}

/** A copy, as someone without write access makes one. */
export function forkRepo(state: State, actor: User, repo: Repo): Repo {
  const fork = createRepo(state, actor, actor, { name: repo.name, defaultBranch: repo.defaultBranch });
  fork.fork = true;
  for (const [sha, each] of repo.commits) fork.commits.set(sha, each);
  for (const [name, sha] of repo.branches) fork.branches.set(name, sha);
  return fork;
}
