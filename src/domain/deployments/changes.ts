import type { Context } from '../../chat/context.js';
import { gathered } from '../../forge/index.js';
import { ifAnswered } from '../../forge/possible.js';
import type { RepoCommit } from '../../forge/schemas/commit.js';
import { count } from '../../view/look.js';
import { workflowOf } from '../runs/read.js';
import type { Target } from './target.js';

export interface Changes {
  /** Undefined: nothing to compare with. */
  readonly since: string | undefined;
  readonly words: string;
  readonly pulls: readonly string[];
  /** Forge user ids. */
  readonly authors: readonly number[];
  readonly names: readonly string[];
}

/** All are read for their authors, who may not be allowed to approve. */
const mostCommits = 500;
const mostPulls = 50;
const plain = { stat: false, verification: false, files: false };

/** The last deployed commit: from our records, or from the workflow's last successful run. */
async function deployedBefore({ at, last, deployment }: Target, { api }: Context): Promise<string | undefined> {
  if (last) return last.sha;
  const query = { status: ['success' as const], exclude_pull_requests: true, limit: 50 };
  const runs = await ifAnswered(api.runs.list({ ...at, query }));
  return runs?.items.find((run) => workflowOf(run) === deployment.workflow)?.head_sha || undefined;
}

/** Merged pull requests whose merge commit is among these. */
async function pullsIn(commits: readonly RepoCommit[], { at }: Target, { api }: Context): Promise<string[]> {
  const query = { state: 'closed', sort: 'recentupdate', limit: mostPulls } as const;
  const closed = await ifAnswered(api.pulls.list({ ...at, query }));
  const shas = new Set(commits.map(({ sha }) => sha));
  return (closed?.items ?? [])
    .filter(({ merged, merge_commit_sha }) => merged && shas.has(merge_commit_sha))
    .map(({ number, title, user }) => `#${number} ${title}${user ? ` (${user.login})` : ''}`);
}

async function newestOf({ at, sha }: Target, { api }: Context): Promise<readonly RepoCommit[]> {
  return (await api.repos.listCommits({ ...at, query: { ...plain, sha, limit: 1 } })).items;
}

/** What would be deployed: commits, pull requests and authors since the current commit. */
export async function changesOf(target: Target, context: Context): Promise<Changes> {
  const { at, sha } = target;
  const since = await deployedBefore(target, context);
  const between = async (to: string, not?: string) => {
    const query = { ...plain, sha: to, ...(not && { not }) };
    return gathered(context.api.repos.listCommits.each({ ...at, query }, { max: mostCommits }));
  };
  // a commit that was rewritten away cannot be compared
  const commits = since === sha ? [] : ((await ifAnswered(between(sha, since))) ?? (await between(sha)));
  // deployed again, or gone back to: nothing is new, and still someone wrote it
  const written = commits.length > 0 ? commits : await newestOf(target, context);
  const authors = written.flatMap(({ author }) => author ?? []);
  const words =
    since === sha
      ? 'The same commit again'
      : commits.length > 0
        ? counted(commits)
        : await backwards(between, sha, since);
  return {
    since,
    words,
    pulls: await pullsIn(commits, target, context),
    authors: [...new Set(authors.map(({ id }) => id))],
    names: [...new Set(authors.map(({ login }) => login))],
  };
}

type Between = (to: string, not?: string) => Promise<readonly RepoCommit[]>;

const counted = ({ length }: readonly RepoCommit[]): string =>
  `${length < mostCommits ? '' : 'at least '}${count(length, 'commit')}`;

async function backwards(between: Between, sha: string, since: string | undefined): Promise<string> {
  const undone = since === undefined ? undefined : await ifAnswered(between(since, sha));
  if (!undone || undone.length === 0) return 'No commits';
  return `Goes back ${counted(undone)}`;
}
