import { payloadCommit } from '../render/commits.js';
import { pullJson } from '../render/pulls.js';
import type { User } from '../state/people.js';
import type { Commit, Repo } from '../state/repo.js';
import { isForgejo } from '../state/site.js';
import { changed, type State } from '../state/state.js';
import { type Change, commit, filesAt, history, treeOf } from './commits.js';
import { pushContent, record } from './feed.js';
import { emit } from './hooks.js';
import { addComment } from './issues.js';
import { measure, pushedBody } from './measure.js';
import { notifyAll } from './notify.js';
import { askCodeOwners } from './reviews.js';

export interface Push {
  readonly branch: string;
  readonly commits: readonly (Change | string)[];
  /** Where a new branch starts; defaults to the default branch. */
  readonly from?: string;
}

/** A push of a new branch leaves two feed rows, the first one empty. */
export function push(state: State, actor: User, repo: Repo, what: Push): Commit[] {
  const isNew = !repo.branches.has(what.branch);
  const start = repo.branches.get(isNew ? (what.from ?? repo.defaultBranch) : what.branch) ?? '';
  const made: Commit[] = [];
  let tip = start;
  for (const change of what.commits) {
    const next = commit(
      state,
      repo,
      actor,
      typeof change === 'string' ? { message: change } : change,
      tip ? [tip] : [],
    );
    made.unshift(next);
    tip = next.sha;
  }
  repo.branches.set(what.branch, tip);
  repo.updated = state.now();
  const ref = `refs/heads/${what.branch}`;
  if (isNew) {
    record(state, { op: 'commit_repo', actor, repo, ref });
    emit(state, {
      event: 'create',
      type: 'create',
      repo,
      sender: actor,
      branch: what.branch,
      payload: () => ({ ref: what.branch, ref_type: 'branch', sha: tip }),
    });
  }
  announcePush(state, actor, repo, what.branch, made, start);
  return made;
}

/** A push by git, oldest first. Only merges of what is known: the content of other commits would be unknown here. */
export function receive(
  state: State,
  actor: User,
  repo: Repo,
  branch: string,
  tip: string,
  pushed: readonly { readonly sha: string; readonly raw: string }[],
): void {
  const made = pushed.map(({ sha, raw }): Commit => {
    const parents = [...raw.matchAll(/^parent (.{40})$/gm)].map(([, id = '']) => id);
    const isMerge = raw.startsWith(`tree ${treeOf(filesAt(repo, parents)).id}\n`);
    if (!isMerge) throw new Error('The sandbox forge takes only merges of commits it has.');
    const message = raw.slice(raw.indexOf('\n\n') + 2);
    const authorEmail = /^author .*<(.*)>/m.exec(raw)?.[1] ?? '';
    const empty = { changes: [], files: [], additions: 0, deletions: 0 };
    const commit = { sha, raw, seq: state.nextId('commit'), message, author: actor, authorEmail, parents, ...empty };
    const kept = { ...commit, at: state.now() };
    repo.commits.set(sha, kept);
    return kept;
  });
  const before = repo.branches.get(branch) ?? '';
  repo.branches.set(branch, tip);
  if (before === '') record(state, { op: 'commit_repo', actor, repo, ref: `refs/heads/${branch}` });
  announcePush(state, actor, repo, branch, made.toReversed(), before);
}

/** Feed row, hook and all pull requests with this branch as their head. */
export function announcePush(
  state: State,
  actor: User,
  repo: Repo,
  branch: string,
  commits: readonly Commit[],
  before: string,
): void {
  const [head] = commits;
  if (head === undefined) return;
  const ref = `refs/heads/${branch}`;
  record(state, { op: 'commit_repo', actor, repo, ref, content: pushContent(state, repo, commits, head, before) });
  emit(state, {
    event: 'push',
    type: 'push',
    repo,
    sender: actor,
    branch,
    payload: (view) => ({
      ref,
      before,
      after: head.sha,
      total_commits: commits.length,
      commits: commits.map((each) => payloadCommit(view, repo, each)),
      head_commit: payloadCommit(view, repo, head),
    }),
  });
  synchronise(state, actor, repo, branch, head.sha);
  for (const { pull, state: of } of repo.issues.values())
    if (pull?.base === branch && of === 'open') pull.checkedAt = Date.now() + state.site.recheckMs;
  changed(state, 'repository', repo);
}

function synchronise(state: State, actor: User, repo: Repo, branch: string, sha: string): void {
  for (const issue of state.issues.values()) {
    const { pull } = issue;
    if (pull === undefined || pull.head !== branch || pull.headRepo !== repo) continue;
    if (issue.state !== 'open' || pull.headSha === sha) continue;
    const before = pull.headSha;
    pull.headSha = sha;
    for (const each of history(repo, sha))
      if (!issue.repo.commits.has(each.sha)) issue.repo.commits.set(each.sha, each);
    measure(issue.repo, pull);
    const base = issue.repo.branches.get(pull.base) ?? '';
    addComment(state, issue, actor, pushedBody(issue.repo, base, sha, before), { type: 'pull_push' });
    pull.checkedAt = Date.now() + state.site.recheckMs;
    const dismisses = issue.repo.protections.get(pull.base)?.dismissStale === true;
    for (const review of pull.reviews) {
      review.stale = review.state !== 'REQUEST_REVIEW';
      if (dismisses && review.state === 'APPROVED') review.dismissed = true;
    }
    notifyAll(state, issue, actor);
    if (!isForgejo(state.site)) askCodeOwners(state, issue, pull);
    emit(state, {
      event: 'pull_request',
      type: 'pull_request_sync',
      repo: issue.repo,
      sender: actor,
      payload: (view) => ({ action: 'synchronized', number: issue.index, pull_request: pullJson(view, issue, pull) }),
    });
  }
}
