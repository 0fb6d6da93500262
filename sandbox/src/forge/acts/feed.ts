import { canSee } from '../state/access.js';
import type { User } from '../state/people.js';
import type { Comment, Commit, Issue, Repo } from '../state/repo.js';
import { fullName } from '../state/repo.js';
import { changed, type State } from '../state/state.js';

export interface FeedEvent {
  readonly op: string;
  readonly actor: User;
  readonly repo: Repo;
  readonly comment?: Comment | undefined;
  readonly ref?: string;
  readonly content?: string;
}

/** One row per receiver: the actor, the owning organization, every watcher who may see the repository. */
export function record(state: State, event: FeedEvent): void {
  const { actor, repo } = event;
  const receivers = new Set<User>([actor]);
  if (repo.owner.kind === 'Organization') receivers.add(repo.owner);
  for (const watcher of repo.watchers) {
    if (canSee(state, watcher, repo)) receivers.add(watcher);
  }
  for (const receiver of receivers) {
    state.feed.add({
      id: state.nextId('activity'),
      receiver,
      actor,
      op: event.op,
      repo,
      comment: event.comment,
      ref: event.ref ?? '',
      content: event.content ?? '',
      private: repo.private,
      created: state.now(),
    });
  }
  changed(state, 'feed', repo);
}

/** The forge keeps about 200 characters of a comment in a row; in the listed form, its first line without code. */
export function excerpt({ site }: State, text: string): string {
  const kept = site.rowForm === 'piped' ? text : text.startsWith('```') ? '' : (text.split('\n')[0] ?? '');
  return kept.length > 200 ? `${kept.slice(0, 200)}…` : kept;
}

const escapes: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' };

/** The number and its texts, in the current form of rows. */
export function aboutIssue({ site }: State, issue: Issue, ...texts: readonly string[]): string {
  if (site.rowForm === 'piped') return [issue.index, ...texts].join('|');
  return JSON.stringify([String(issue.index), ...texts]).replace(/[<>&]/g, (letter) => escapes[letter] ?? letter);
}

const wireCommit = (commit: Commit, short: boolean) => ({
  Sha1: commit.sha,
  Message: short ? commit.message.split('\n')[0] : commit.message,
  AuthorEmail: commit.author.email,
  AuthorName: commit.author.fullName || commit.author.login,
  CommitterEmail: commit.author.email,
  CommitterName: commit.author.fullName || commit.author.login,
  Timestamp: `${new Date(commit.at * 1000).toISOString().slice(0, 19)}Z`,
});

const keptCommits = 5;

/** `commits` newest first; null for a tag. */
export function pushContent(
  { site }: State,
  repo: Repo,
  commits: readonly Commit[] | null,
  head: Commit | undefined,
  before: string,
): string {
  const short = site.rowForm === 'listed';
  const compare = commits !== null && head !== undefined && before !== '';
  return JSON.stringify({
    Commits:
      commits === null ? (short ? [] : null) : commits.slice(0, keptCommits).map((each) => wireCommit(each, short)),
    HeadCommit: head === undefined ? null : wireCommit(head, short),
    CompareURL: compare ? `${fullName(repo)}/compare/${before}...${head.sha}` : '',
    Len: commits?.length ?? 0,
  });
}
