import type { User } from '../state/people.js';
import type { Issue, Pull, Repo } from '../state/repo.js';
import type { State } from '../state/state.js';
import { commit, history } from './commits.js';
import { aboutIssue, record } from './feed.js';
import { announcePush } from './git.js';
import { addComment, announceNew, createIssue, type NewIssue, tellHooks } from './issues.js';
import { measure, missingIn } from './measure.js';
import { notifyAll } from './notify.js';
import { deleteBranch } from './refs.js';

export interface NewPull extends NewIssue {
  readonly head: string;
  readonly base: string;
  readonly headRepo?: Repo;
}

export function openPull(state: State, poster: User, repo: Repo, what: NewPull): Issue & { readonly pull: Pull } {
  const headRepo = what.headRepo ?? repo;
  const headSha = headRepo.branches.get(what.head);
  if (headSha === undefined) throw new Error(`The sandbox forge has no branch ${what.head}.`);
  // a fork's commits are available under refs/pull
  for (const each of history(headRepo, headSha)) if (!repo.commits.has(each.sha)) repo.commits.set(each.sha, each);
  const pull: Pull = {
    id: state.nextId('pull'),
    base: what.base,
    head: what.head,
    headSha,
    mergeBase: '',
    headRepo,
    merged: undefined,
    conflicts: false,
    maintainerEdit: true,
    additions: 0,
    deletions: 0,
    changedFiles: 0,
    reviews: [],
  };
  measure(repo, pull);
  const issue = createIssue(state, poster, repo, what, pull);
  addComment(state, issue, poster, '', { type: 'pull_push' });
  announceNew(state, issue, 'create_pull_request');
  return Object.assign(issue, { pull });
}

export function retarget(issue: Issue, pull: Pull, base: string): void {
  pull.base = base;
  measure(issue.repo, pull);
}

export interface Merge {
  readonly title?: string;
  readonly deleteBranch?: boolean;
  /** Merged automatically once its checks were green. */
  readonly auto?: boolean;
}

/** Leaves a push row and a merge row in the same second, and no close row. */
export function merge(state: State, actor: User, issue: Issue, pull: Pull, how: Merge = {}): void {
  const { repo } = issue;
  const before = repo.branches.get(pull.base) ?? '';
  const brought = missingIn(repo, before, pull.headSha);
  const message =
    how.title ?? `Merge pull request '${issue.title}' (#${issue.index}) from ${pull.head} into ${pull.base}`;
  const made = commit(state, repo, actor, { message }, [before, pull.headSha]);
  repo.branches.set(pull.base, made.sha);
  const now = state.now();
  pull.merged = { at: now, by: actor, sha: made.sha };
  issue.state = 'closed';
  issue.closedAt = now;
  addComment(state, issue, actor, '', { type: 'merge_pull' });
  announcePush(state, actor, repo, pull.base, [made, ...brought], before);
  const op = how.auto === true ? 'auto_merge_pull_request' : 'merge_pull_request';
  record(state, { op, actor, repo, content: aboutIssue(state, issue, issue.title) });
  notifyAll(state, issue, actor);
  tellHooks(state, issue, actor, 'closed');
  if (how.deleteBranch === true && pull.headRepo !== undefined) deleteBranch(state, actor, pull.headRepo, pull.head);
}
