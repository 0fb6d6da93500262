import { type Answer, invalid } from '../http/answer.js';
import type { Call } from '../http/call.js';
import { list } from '../http/paging.js';
import type { Query } from '../http/query.js';
import { repoJson } from '../render/repos.js';
import { canSee, isMember } from '../state/access.js';
import type { Repo } from '../state/repo.js';
import type { State } from '../state/state.js';

const modes: Readonly<Record<string, (repo: Repo) => boolean>> = {
  fork: (repo) => repo.fork,
  source: (repo) => !repo.fork && !repo.mirror,
  mirror: (repo) => repo.mirror,
  collaborative: (repo) => !repo.fork && !repo.mirror,
};

const text = (value: string): string => value.toLowerCase();

const sorts: Readonly<Record<string, (a: Repo, b: Repo) => number>> = {
  alpha: (a, b) => text(a.name).localeCompare(text(b.name)),
  created: (a, b) => a.created - b.created,
  updated: (a, b) => a.updated - b.updated,
  size: (a, b) => a.commits.size - b.commits.size,
  git_size: (a, b) => a.commits.size - b.commits.size,
  lfs_size: (a, b) => a.id - b.id,
  stars: (a, b) => a.stargazers.size - b.stargazers.size,
  forks: (a, b) => a.id - b.id,
  id: (a, b) => a.id - b.id,
};

function matchesText(query: Query, repo: Repo): boolean {
  const q = text(query.text('q') ?? '');
  if (query.flag('topic') === true) return repo.topics.some((topic) => text(topic).includes(q));
  if (text(repo.name).includes(q) || repo.topics.some((topic) => text(topic) === q)) return true;
  return query.flag('includeDesc') === true && text(repo.description).includes(q);
}

/** Owned by that user, or accessible by team or invitation unless only owned ones are requested. */
function belongsTo(state: State, query: Query, repo: Repo): boolean {
  const uid = query.number('uid');
  if (uid === undefined || uid === 0) return true;
  const user = state.users.get(uid);
  if (user === undefined) return false;
  if (repo.owner === user) return query.text('mode') !== 'collaborative';
  if (query.flag('exclusive') === true) return false;
  return repo.collaborators.has(user) || (user.kind !== 'Organization' && isMember(state, user, repo.owner));
}

function filtersOf(call: Pick<Call, 'state' | 'query' | 'caller'>): ((repo: Repo) => boolean)[] {
  const { state, query, caller } = call;
  const mode = query.text('mode');
  const ofMode = mode === undefined ? () => true : modes[mode];
  if (ofMode === undefined) throw invalid('invalid search mode');
  const same = (name: string, read: (repo: Repo) => boolean) => (repo: Repo) =>
    query.flag(name) === undefined || read(repo) === query.flag(name);
  const team = query.number('team_id');
  const starredBy = query.number('starredBy');
  return [
    (repo) => canSee(state, caller.user, repo),
    (repo) => query.flag('private') !== false || !repo.private,
    ofMode,
    same('is_private', (repo) => repo.private),
    same('template', (repo) => repo.template),
    same('archived', (repo) => repo.archivedAt !== undefined),
    (repo) => matchesText(query, repo),
    (repo) => belongsTo(state, query, repo),
    (repo) =>
      team === undefined ||
      state.teams.get(team)?.repos.has(repo.id) === true ||
      state.teams.get(team)?.allRepos === true,
    (repo) => starredBy === undefined || [...repo.stargazers].some((user) => user.id === starredBy),
  ];
}

/** Order is only used with a sort. */
function comparer(query: Query): (a: Repo, b: Repo) => number {
  const sort = query.text('sort');
  const compare = sorts[sort ?? 'alpha'];
  if (compare === undefined) throw invalid(`Invalid sort mode: "${sort}"`);
  const order = query.text('order') ?? 'asc';
  if (sort !== undefined && order !== 'asc' && order !== 'desc') throw invalid(`Invalid sort order: "${order}"`);
  const sign = sort !== undefined && order === 'desc' ? -1 : 1;
  const first = query.number('priority_owner_id');
  return (a, b) => Number(b.owner.id === first) - Number(a.owner.id === first) || sign * compare(a, b);
}

export function searchRepos(call: Pick<Call, 'state' | 'query' | 'caller' | 'path' | 'view'>): Answer {
  const filters = filtersOf(call);
  const found = [...call.state.repos.values()]
    .filter((repo) => filters.every((holds) => holds(repo)))
    .sort(comparer(call.query));
  return list(call, found, (repo) => repoJson(call.view, repo), { wrap: (data) => ({ ok: true, data }) });
}
