import { createHash } from 'node:crypto';
import type { User } from '../state/people.js';
import type { Commit, Edit, Repo } from '../state/repo.js';
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
  /** What it repeats: squashed or rebased. Default: its own. */
  readonly changes?: readonly Edit[];
}

export function commit(state: State, repo: Repo, author: User, change: Change, parents: readonly string[]): Commit {
  const seq = state.nextId('commit');
  const texts = Object.entries(change.texts ?? {});
  const files = change.files ?? (texts.length > 0 ? texts.map(([path]) => path) : ['README.md']);
  const known = new Set([...repo.commits.values()].flatMap((old) => old.files.map((file) => file.filename)));
  const changes = change.changes ?? (files.length === 0 ? [] : [{ id: String(seq).padStart(9, '0'), files }]);
  const message = change.message.endsWith('\n') ? change.message : `${change.message}\n`;
  const raw = state.site.git
    ? rawCommit({ tree: treeOf(filesAt(repo, parents, changes)).id, parents, author, at: state.now(), message })
    : undefined;
  const made: Commit = {
    sha: raw === undefined ? sha1(`${repo.id} ${seq} ${change.message}`) : objectId('commit', Buffer.from(raw)),
    ...(raw !== undefined && { raw }),
    seq,
    changes,
    message,
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

const sha1 = (of: string | Buffer): string => createHash('sha1').update(of).digest('hex');

/** As git names an object. */
const objectId = (type: string, body: Buffer): string =>
  sha1(Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body]));

interface RawCommit extends Pick<Commit, 'parents' | 'author' | 'at' | 'message'> {
  readonly tree: string;
}

function rawCommit({ tree, parents, author, at, message }: RawCommit): string {
  const by = `${author.login} <${author.email}> ${at} +0000`;
  const above = parents.map((sha) => `parent ${sha}\n`).join('');
  return `tree ${tree}\n${above}author ${by}\ncommitter ${by}\n\n${message}`;
}

/** Each file with the changes made to it, one in a line: two branches that change the same file conflict. */
export function filesAt(repo: Repo, heads: readonly string[], more: readonly Edit[] = []): Map<string, string> {
  const changes = new Map<string, Set<string>>();
  const all = [...heads.flatMap((head) => history(repo, head).flatMap((each) => each.changes)), ...more];
  for (const { id, files } of all)
    for (const file of files) changes.set(file, (changes.get(file) ?? new Set()).add(id));
  return new Map([...changes].map(([file, ids]) => [file, `${[...ids].sort().join('\n')}\n`]));
}

interface TreeEntry {
  readonly path: string;
  readonly type: 'blob' | 'tree';
  readonly sha: string;
}

interface GitTree {
  readonly id: string;
  readonly entries: readonly TreeEntry[];
  /** Everything below it, and itself. */
  readonly objects: ReadonlyMap<string, { readonly type: string; readonly body: Buffer }>;
}

/** As git stores these files. */
export function treeOf(files: ReadonlyMap<string, string>): GitTree {
  const objects = new Map<string, { type: string; body: Buffer }>();
  const put = (type: string, body: Buffer): string => {
    const id = objectId(type, body);
    objects.set(id, { type, body });
    return id;
  };
  const folders = new Map<string, Map<string, string>>();
  const entries: TreeEntry[] = [];
  for (const [path, text] of files) {
    const slash = path.indexOf('/');
    if (slash < 0) entries.push({ path, type: 'blob', sha: put('blob', Buffer.from(text)) });
    else {
      const folder = folders.get(path.slice(0, slash)) ?? new Map<string, string>();
      folders.set(path.slice(0, slash), folder.set(path.slice(slash + 1), text));
    }
  }
  for (const [path, inside] of folders) {
    const { id, objects: below } = treeOf(inside);
    for (const [each, object] of below) objects.set(each, object);
    entries.push({ path, type: 'tree', sha: id });
  }
  const key = ({ path, type }: TreeEntry) => (type === 'tree' ? `${path}/` : path);
  entries.sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const rows = entries.flatMap(({ path, type, sha }) => [
    Buffer.from(`${type === 'tree' ? '40000' : '100644'} ${path}\0`),
    Buffer.from(sha, 'hex'),
  ]);
  return { id: put('tree', Buffer.concat(rows)), entries, objects };
}

/** Files and folders at the root: two commits have the same entry if the same changes were made below it. */
export const rootEntries = (repo: Repo, head: string): readonly TreeEntry[] => treeOf(filesAt(repo, [head])).entries;

/** A branch, a tag, a commit or a prefix of one. */
export function resolve(repo: Repo, name: string): Commit | undefined {
  const sha = repo.branches.get(name) ?? repo.tags.get(name) ?? name;
  const exact = repo.commits.get(sha);
  if (exact !== undefined || sha.length < 7) return exact;
  return [...repo.commits.values()].find((candidate) => candidate.sha.startsWith(sha));
}
