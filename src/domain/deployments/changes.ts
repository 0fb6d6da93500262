import type { Context } from '../../chat/context.js';
import { type RepositoryRef, webAddress } from '../../chat/references.js';
import { gathered } from '../../forge/index.js';
import { ifAnswered } from '../../forge/possible.js';
import type { RepoCommit } from '../../forge/schemas/commit.js';
import type { PullRequest } from '../../forge/schemas/pull.js';
import { ranCommit } from '../../store/index.js';
import { clip } from '../../view/clean.js';
import { count } from '../../view/look.js';
import { type Authors, authorsOf, joined, mostCommits, plain, pullAuthors } from '../authors.js';
import { workflowOf } from '../runs/read.js';
import type { Target } from './target.js';

export interface Changes {
  /** Undefined: nothing to compare with. */
  readonly since: string | undefined;
  readonly words: string;
  /** Pull requests, then commits without one, newest first. */
  readonly titles: readonly string[];
  /** Where the forge shows all of it. */
  readonly page: { readonly text: string; readonly url: string };
  readonly authors: Authors;
}

const mostPulls = 50;
const mostClosed = 200;
/** Of a title: ten of them and a link fit into one field of a card. */
const mostLetters = 120;

/** The last deployed commit: from our records, or from the workflow's last successful run. */
async function deployedBefore({ at, last, deployment }: Target, { api }: Context): Promise<string | undefined> {
  if (last) return ranCommit(last);
  const query = { status: ['success' as const], exclude_pull_requests: true, limit: 50 };
  const runs = await ifAnswered(api.runs.list({ ...at, query }));
  return runs?.items.find((run) => workflowOf(run) === deployment.workflow)?.head_sha || undefined;
}

/** Bellows' clock and the forge's may differ. */
const clocksMs = 3_600_000;

/** Merged pull requests whose merge commit is among these, and whether there can be no others. */
async function pullsIn(commits: readonly RepoCommit[], { at, last }: Target, { api }: Context) {
  const shas = new Set(commits.map(({ sha }) => sha));
  const dates = commits.map(({ commit }) => commit?.committer?.date?.getTime() ?? 0);
  const oldest = Math.min(last?.startedAt ?? 0, ...dates) - clocksMs;
  const query = { state: 'closed', sort: 'recentupdate', limit: mostPulls } as const;
  const search = async () => {
    const found: PullRequest[] = [];
    let searched = 0;
    for await (const pull of api.pulls.list.each({ ...at, query }, { max: mostClosed })) {
      // untouched since before these commits, as are all that follow
      if (pull.updated_at && pull.updated_at.getTime() < oldest) return { found, areAll: true };
      searched += 1;
      if (pull.merged && shas.has(pull.merge_commit_sha)) found.push(pull);
    }
    return { found, areAll: searched < mostClosed };
  };
  return (shas.size > 0 ? await ifAnswered(search()) : undefined) ?? { found: [], areAll: shas.size === 0 };
}

/** Of the commits, and of the pull requests that brought them; only their openers where authors may approve. */
async function writtenBy(
  commits: readonly RepoCommit[],
  { found: pulls, areAll }: Awaited<ReturnType<typeof pullsIn>>,
  target: Target,
  context: Context,
) {
  const { at, deployment } = target;
  const counts = deployment.authorsCount === false || deployment.requesterCounts === true;
  const unsure = [
    ...(commits.length < mostCommits ? [] : ['older commits']),
    ...(areAll ? [] : ['older pull requests']),
  ];
  const found = [await authorsOf(commits, context), { users: pulls.flatMap(({ user }) => user ?? []), unsure }];
  for (const pull of counts ? pulls : []) found.push(await pullAuthors({ ...at, index: pull.number }, pull, context));
  return joined(found);
}

async function newestOf({ at, sha }: Target, { api }: Context): Promise<readonly RepoCommit[]> {
  return (await api.repos.listCommits({ ...at, query: { ...plain, sha, limit: 1 } })).items;
}

/** What would be deployed: commits, pull requests and authors since the current commit. */
export async function changesOf(target: Target, context: Context): Promise<Changes> {
  const { at, sha } = target;
  const before = await deployedBefore(target, context);
  const between = async (to: string, not?: string) => {
    const query = { ...plain, sha: to, ...(not && { not }) };
    return gathered(context.api.repos.listCommits.each({ ...at, query }, { max: mostCommits }));
  };
  const compared = before === sha ? [] : await ifAnswered(between(sha, before));
  // a commit that was rewritten away cannot be compared
  const since = compared ? before : undefined;
  const commits = compared ?? (await between(sha));
  // deployed again, or gone back to: nothing is new, and still someone wrote it
  const written = commits.length > 0 ? commits : await newestOf(target, context);
  const pulls = await pullsIn(commits, target, context);
  const undone =
    commits.length > 0 || since === undefined || since === sha ? [] : ((await ifAnswered(between(since, sha))) ?? []);
  const isBack = undone.length > 0;
  const to = since !== undefined && isBack ? since : sha;
  const said = isBack ? `Goes back ${counted(undone)}` : commits.length > 0 ? counted(commits) : 'No commits';
  return {
    since: before,
    words: since === sha ? 'The same commit again' : said,
    titles: titlesOf(isBack ? undone : commits, to, (isBack ? await pullsIn(undone, target, context) : pulls).found),
    page: pageOf(at, { from: isBack ? sha : since, to }, context),
    authors: await writtenBy(written, pulls, target, context),
  };
}

const counted = ({ length }: readonly RepoCommit[]): string =>
  `${length < mostCommits ? '' : 'at least '}${count(length, 'commit')}`;

function pageOf(of: RepositoryRef, { from, to }: { from: string | undefined; to: string }, { forge }: Context) {
  if (from === undefined) return { text: 'All commits', url: webAddress(forge.web, { kind: 'history', of, sha: to }) };
  if (from === to) return { text: 'Commit', url: webAddress(forge.web, { kind: 'commit', of, sha: to }) };
  return { text: 'Compare', url: webAddress(forge.web, { kind: 'compare', of, from, to }) };
}

/** Pull requests, and the commits of the branch itself that came without one. */
function titlesOf(commits: readonly RepoCommit[], head: string, pulls: readonly PullRequest[]): string[] {
  const left = new Map(commits.map((each) => [each.sha, each]));
  const own: RepoCommit[] = [];
  for (let at = left.get(head); at; at = left.get(at.parents[0]?.sha ?? '')) {
    left.delete(at.sha);
    own.push(at);
  }
  const brought = new Set(pulls.map((each) => each.merge_commit_sha));
  const titles = [
    ...pulls.map(({ number, title, user }) => `#${number} ${title}${by(user?.login)}`),
    ...own
      .filter(({ sha }) => !brought.has(sha))
      .map(({ sha, commit, author }) => {
        const [title = ''] = (commit?.message ?? '').trim().split('\n');
        return `${sha.slice(0, 10)} ${title}${by(author?.login ?? commit?.author?.name)}`;
      }),
  ];
  return titles.map((title) => clip(title, mostLetters));
}

const by = (name: string | undefined): string => (name ? ` (${name})` : '');
