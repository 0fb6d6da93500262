import { createHash } from 'node:crypto';
import type { User } from '../state/people.js';
import type { Commit, Repo } from '../state/repo.js';
import type { State } from '../state/state.js';
import { keepText } from './files.js';

export interface Change {
  readonly message: string;
  readonly files?: readonly string[];
  /** What it writes into files, by path. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Addresses in the commit, if they are not the pusher's; an account may have them or not. */
  readonly author?: string;
  readonly committer?: string;
  /** The commits whose changes it repeats: squashed or rebased. Default: its own. */
  readonly changes?: readonly string[];
}

export function commit(state: State, repo: Repo, author: User, change: Change, parents: readonly string[]): Commit {
  const seq = state.nextId('commit');
  const texts = Object.entries(change.texts ?? {});
  const files = change.files ?? (texts.length > 0 ? texts.map(([path]) => path) : ['README.md']);
  const known = new Set([...repo.commits.values()].flatMap((old) => old.files.map((file) => file.filename)));
  const sha = createHash('sha1').update(`${repo.id} ${seq} ${change.message}`).digest('hex');
  const made: Commit = {
    sha,
    seq,
    changes: change.changes ?? (files.length === 0 ? [] : [sha]),
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
  for (const [path, text] of texts) keepText(repo, path, text, made);
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

/** Files and folders at the root: two commits have the same entry if the same changes were made below it. */
export function rootEntries(repo: Repo, head: string): { path: string; type: 'blob' | 'tree'; sha: string }[] {
  const below = new Map<string, Set<string>>();
  for (const { files, changes } of history(repo, head))
    for (const { filename } of files)
      for (const change of changes) {
        const name = filename.includes('/') ? `${filename.split('/')[0]}/` : filename;
        // of what was squashed, only the files that each change touched
        const touched = repo.commits.get(change)?.files.some((each) => each.filename === filename) ?? true;
        if (touched) below.set(name, (below.get(name) ?? new Set()).add(`${filename} ${change}`));
      }
  return [...below].sort().map(([name, changes]) => ({
    path: name.replace(/\/$/, ''),
    type: name.endsWith('/') ? 'tree' : 'blob',
    sha: createHash('sha1')
      .update([...changes].sort().join('\n'))
      .digest('hex'),
  }));
}

/** A branch, a tag, a commit or a prefix of one. */
export function resolve(repo: Repo, name: string): Commit | undefined {
  const sha = repo.branches.get(name) ?? repo.tags.get(name) ?? name;
  const exact = repo.commits.get(sha);
  if (exact !== undefined || sha.length < 7) return exact;
  return [...repo.commits.values()].find((candidate) => candidate.sha.startsWith(sha));
}
