import { createHash } from 'node:crypto';
import type { User } from '../state/people.js';
import type { Commit, Repo } from '../state/repo.js';
import type { State } from '../state/state.js';

export interface Change {
  readonly message: string;
  readonly files?: readonly string[];
  /** Addresses in the commit, if they are not the pusher's; an account may have them or not. */
  readonly author?: string;
  readonly committer?: string;
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
    ...(change.author !== undefined && { authorEmail: change.author }),
    ...(change.committer !== undefined && { committerEmail: change.committer }),
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

/** A branch, a tag, a commit or a prefix of one. */
export function resolve(repo: Repo, name: string): Commit | undefined {
  const sha = repo.branches.get(name) ?? repo.tags.get(name) ?? name;
  const exact = repo.commits.get(sha);
  if (exact !== undefined || sha.length < 7) return exact;
  return [...repo.commits.values()].find((candidate) => candidate.sha.startsWith(sha));
}
