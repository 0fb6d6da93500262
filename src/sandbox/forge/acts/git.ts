import { createHash } from 'node:crypto';
import { payloadCommit } from '../render/commits.js';
import { pullJson } from '../render/pulls.js';
import type { User } from '../state/people.js';
import type { Commit, Repo } from '../state/repo.js';
import { changed, type State } from '../state/state.js';
import { pushContent, record } from './feed.js';
import { emit } from './hooks.js';
import { notifyAll } from './notify.js';

export interface Change {
  readonly message: string;
  readonly files?: readonly string[];
}

export function commit(state: State, repo: Repo, author: User, change: Change, parents: readonly string[]): Commit {
  const seq = state.nextId('commit');
  const files = change.files ?? ['README.md'];
  const known = new Set([...repo.commits.values()].flatMap((old) => old.files.map((file) => file.filename)));
  const made: Commit = {
    sha: createHash('sha1').update(`${repo.id} ${seq} ${change.message}`).digest('hex'),
    seq,
    message: change.message.endsWith('\n') ? change.message : `${change.message}\n`,
    author,
    at: state.now(),
    parents,
    files: files.map((filename) => ({ filename, status: known.has(filename) ? 'modified' : 'added' })),
    additions: 3 * files.length,
    deletions: 0,
  };
  repo.commits.set(made.sha, made);
  return made;
}

/** Everything reachable from a commit, newest first. */
export function history(repo: Repo, head: string): Commit[] {
  const seen = new Map<string, Commit>();
  const open = [head];
  for (let sha = open.pop(); sha !== undefined; sha = open.pop()) {
    const found = repo.commits.get(sha);
    if (found === undefined || seen.has(sha)) continue;
    seen.set(sha, found);
    open.push(...found.parents);
  }
  return [...seen.values()].sort((a, b) => b.at - a.at || b.seq - a.seq);
}

/** A branch, a tag, a commit or the start of one. */
export function resolve(repo: Repo, name: string): Commit | undefined {
  const sha = repo.branches.get(name) ?? repo.tags.get(name) ?? name;
  const exact = repo.commits.get(sha);
  if (exact !== undefined || sha.length < 7) return exact;
  return [...repo.commits.values()].find((candidate) => candidate.sha.startsWith(sha));
}

export interface Push {
  readonly branch: string;
  readonly commits: readonly (Change | string)[];
  /** Where a new branch starts; the default branch unless named. */
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

/** Feed row, hook and whatever pull requests have this branch as their head. */
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
  record(state, { op: 'commit_repo', actor, repo, ref, content: pushContent(repo, commits, head, before) });
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
  changed(state, 'repository', repo);
}

function synchronise(state: State, actor: User, repo: Repo, branch: string, sha: string): void {
  for (const issue of state.issues.values()) {
    const { pull } = issue;
    if (pull === undefined || pull.head !== branch || pull.headRepo !== repo) continue;
    if (issue.state !== 'open' || pull.headSha === sha) continue;
    pull.headSha = sha;
    issue.updated = state.now();
    for (const review of pull.reviews) review.stale = review.state !== 'REQUEST_REVIEW';
    notifyAll(state, issue, actor);
    emit(state, {
      event: 'pull_request',
      type: 'pull_request_sync',
      repo: issue.repo,
      sender: actor,
      payload: (view) => ({ action: 'synchronized', number: issue.index, pull_request: pullJson(view, issue, pull) }),
    });
  }
}
