import { refuseOtherCommit } from '../../chat/approval/bound.js';
import { command, type Observation, type Sent } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { flag, optional, text, toggle } from '../../chat/fields.js';
import { fullName, type RepositoryRef, webAddress } from '../../chat/references.js';
import type { CommitChecks } from '../../forge/commit-checks.js';
import { ApiError, gather, isLost } from '../../forge/index.js';
import { ifAnswered } from '../../forge/possible.js';
import type { PullRequest, RepoCommit } from '../../forge/schemas.js';
import { shortRef } from '../../short-ref.js';
import { type Deployment, ranCommit } from '../../store/index.js';
import type { FactPage } from '../../view/blocks.js';
import { deploymentWords } from '../../view/cards/deployment.js';
import { count } from '../../view/look.js';
import { say } from '../../view/message.js';
import { clip } from '../../view/text.js';
import { type Authors, authorsOf, joinAuthors, mostCommits, plain, pullAuthors } from '../authors.js';
import { workflowOf } from '../runs/read.js';
import { dispatch, dispatchRequest, findStarted, inputs } from '../workflows/dispatch.js';
import { type Asked, busy, configuredAs, environment, questions, type Target, targetOf } from './environment.js';

interface Changes {
  /** Undefined: nothing to compare with. */
  readonly since: string | undefined;
  readonly words: string;
  /** Pull requests, then commits without one, newest first. */
  readonly titles: readonly FactPage[];
  /** Where the forge shows all of it. */
  readonly page: { readonly text: string; readonly url: string };
  readonly authors: Authors;
}

const mostPulls = 50;
const mostClosed = 200;
/** Of a title: ten of them and their links fit into one field of a card. */
const mostLetters = 90;

/** For people to compare with: from our records, or else of the workflow's last successful run, wherever that deployed to. */
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
  const { at } = target;
  const unsure = [
    ...(commits.length < mostCommits ? [] : ['older commits']),
    ...(areAll ? [] : ['older pull requests']),
  ];
  const found = [await authorsOf(commits, context), { users: pulls.flatMap(({ user }) => user ?? []), unsure }];
  for (const pull of areAuthorsChecked(target) ? pulls : [])
    found.push(await pullAuthors({ ...at, index: pull.number }, pull, context));
  return joinAuthors(found);
}

const areAuthorsChecked = ({ deployment }: Target): boolean =>
  deployment.authorsCount === false || deployment.requesterCounts === true;

async function newestOf({ at, sha }: Target, { api }: Context): Promise<readonly RepoCommit[]> {
  return (await api.repos.listCommits({ ...at, query: { ...plain, sha, limit: 1 } })).items;
}

/** What would be deployed: commits, pull requests and authors since the current commit. */
async function changesOf(target: Target, context: Context): Promise<Changes> {
  const { at, sha } = target;
  const before = await deployedBefore(target, context);
  const between = async (to: string, not?: string) => {
    const query = { ...plain, sha: to, ...(not && { not }) };
    return gather(context.api.repos.listCommits.each({ ...at, query }, { max: mostCommits }));
  };
  const compared = before === sha ? [] : await ifAnswered(between(sha, before));
  // a commit that was rewritten away cannot be compared
  const since = compared ? before : undefined;
  const commits = compared ?? (await between(sha));
  const pulls = await pullsIn(commits, target, context);
  // anyone can make some run of the workflow succeed: only our own record proves what was deployed here
  const isProven = target.last !== undefined || since === undefined || !areAuthorsChecked(target);
  const counted = isProven ? commits : await between(sha);
  // deployed again, or gone back to: nothing is new, and still someone wrote it
  const written = counted.length > 0 ? counted : await newestOf(target, context);
  const undone =
    commits.length > 0 || since === undefined || since === sha ? [] : ((await ifAnswered(between(since, sha))) ?? []);
  const isBack = undone.length > 0;
  const to = since !== undefined && isBack ? since : sha;
  const said = isBack ? `Goes back ${countCommits(undone)}` : commits.length > 0 ? countCommits(commits) : 'No commits';
  return {
    since: before,
    words: since === sha ? 'The same commit again' : said,
    titles: titlesOf(
      isBack ? undone : commits,
      { at, to },
      (isBack ? await pullsIn(undone, target, context) : pulls).found,
      context,
    ),
    page: pageOf(at, { from: isBack ? sha : since, to }, context),
    authors: await writtenBy(written, isProven ? pulls : await pullsIn(counted, target, context), target, context),
  };
}

const countCommits = ({ length }: readonly RepoCommit[]): string =>
  `${length < mostCommits ? '' : 'at least '}${count(length, 'commit')}`;

function pageOf(of: RepositoryRef, { from, to }: { from: string | undefined; to: string }, { forge }: Context) {
  if (from === undefined) return { text: 'All commits', url: webAddress(forge.web, { kind: 'history', of, sha: to }) };
  if (from === to) return { text: 'Commit', url: webAddress(forge.web, { kind: 'commit', of, sha: to }) };
  return { text: 'Compare', url: webAddress(forge.web, { kind: 'compare', of, from, to }) };
}

/** Pull requests, and the commits of the branch itself that came without one. */
function titlesOf(
  commits: readonly RepoCommit[],
  { at: of, to: head }: { readonly at: RepositoryRef; readonly to: string },
  pulls: readonly PullRequest[],
  { forge }: Context,
): FactPage[] {
  const left = new Map(commits.map((each) => [each.sha, each]));
  const own: RepoCommit[] = [];
  for (let at = left.get(head); at; at = left.get(at.parents[0]?.sha ?? '')) {
    left.delete(at.sha);
    own.push(at);
  }
  const brought = new Set(pulls.map((each) => each.merge_commit_sha));
  const titles = [
    ...pulls.map(({ number, title, user, html_url }) => ({
      text: `#${number} ${title}${by(user?.login)}`,
      url: html_url || webAddress(forge.web, { kind: 'pull', of: { ...of, index: number } }),
    })),
    ...own
      .filter(({ sha }) => !brought.has(sha))
      .map(({ sha, commit, author }) => {
        const [title = ''] = (commit?.message ?? '').trim().split('\n');
        return {
          text: `${sha.slice(0, 10)} ${title}${by(author?.login ?? commit?.author?.name)}`,
          url: webAddress(forge.web, { kind: 'commit', of, sha }),
        };
      }),
  ];
  return titles.map(({ text, url }) => ({ text: clip(text, mostLetters), url }));
}

const by = (name: string | undefined): string => (name ? ` (${name})` : '');

const mostTitles = 10;
const mostDetails = 50;

function linesOf(titles: readonly FactPage[], most: number): (string | FactPage)[] {
  const more = titles.length - most;
  return [...titles.slice(0, most), ...(more > 0 ? [`and ${more} more`] : [])];
}

const words: Readonly<Record<CommitChecks['state'], string>> = {
  success: '✅ passed',
  pending: '⏳ still running',
  failure: '❌ failed',
  warning: '⚠️ passed with warnings',
  skipped: '⏭️ skipped',
  none: 'none reported',
};

const versionOf = (ref: string, sha: string) =>
  `${ref.startsWith('refs/tags/') ? 'tag' : 'branch'} ${shortRef(ref)} at ${sha.slice(0, 10)}`;

/** Approval is bound to the commit: if the ref moves, nothing runs. */
async function observeDeploy(asked: Asked, context: Context): Promise<Observation> {
  const target = await targetOf(asked, context);
  const { what, sha, name, checks, last } = target;
  const changes = await changesOf(target, context);
  const open = (checks?.open ?? []).slice(0, 5).map((each) => each.context);
  const now = changes.since === undefined ? 'nothing deployed yet' : changes.since.slice(0, 10);
  const inputs = Object.entries(what.inputs).map(([input, value]) => `${input}=${value}`);
  return {
    bound: { commit: sha, ref: what.ref, deployed: last ? ranCommit(last) : null },
    authors: changes.authors.users.map(({ id }) => id),
    unsure: changes.authors.unsure,
    wants: {
      says: `deploy ${shortRef(what.ref)} (${sha.slice(0, 10)}) to ${name}`,
      url: webAddress(context.forge.web, { kind: 'commit', of: what.at, sha }),
      about: fullName(what.at),
    },
    shown: [
      ['New version', versionOf(what.ref, sha)],
      ['Current version', last ? versionOf(last.ref, ranCommit(last)) : now],
      ['Changes', [changes.words, ...linesOf(changes.titles, mostTitles)], changes.page],
      [
        'Authors',
        changes.authors.users
          .slice(0, 20)
          .map(({ login }) => login)
          .join(', ') || 'none',
      ],
      ['Checks', [words[checks?.state ?? 'none'], open.join(', ')].filter(Boolean).join(': ')],
      // in an emergency nobody checks
      ...(asked.breakGlass ? [] : [['Freeze', 'not frozen'] as const]),
      ...(inputs.length === 0 ? [] : [['Inputs', inputs] as const]),
    ],
    ...(changes.titles.length > mostTitles && {
      details: [['All changes', linesOf(changes.titles, mostDetails)] as const],
    }),
  };
}

function recordOf(target: Target, asked: Asked, context: Context): Deployment {
  const { name, at, what, sha, last, deployment } = target;
  const { person, login, approval, job = '', channel = '', now } = context;
  return {
    id: job,
    environment: name,
    repository: at,
    workflow: what.workflow,
    ref: what.ref,
    sha,
    from: last ? ranCommit(last) : null,
    by: { ...person, login },
    approvers: (approval?.approvers ?? []).map(({ team, user, login: known }) => ({ team, user, login: known })),
    breakGlass: asked.breakGlass ? (asked.reason ?? '') : null,
    channel: deployment.channel ?? channel,
    approval: approval?.id ?? null,
    run: null,
    attempt: 1,
    url: '',
    otherCommit: null,
    rollback: null,
    state: 'starting',
    startedAt: now.getTime(),
    endedAt: null,
  };
}

/** Recorded before anything is sent, so that a restart cannot start a second one. */
async function startDeployment(asked: Asked, context: Context): Promise<Deployment> {
  const target = await targetOf(asked, context);
  // a recorded commit counts as approved
  refuseOtherCommit(target.sha, context);
  const { deployments } = context.store;
  const record = recordOf(target, asked, context);
  const beginning = await deployments.begin(record);
  if (!beginning.begun) throw busy(beginning.current);
  try {
    const { run } = await dispatch(target.what, context);
    return await running(record, run, context);
  } catch (error) {
    // certainly not started, so the environment is free again
    if (error instanceof ApiError && !isLost(error)) {
      await deployments.put({ ...record, state: 'failed', endedAt: context.now.getTime() });
      await deployments.release(record.environment, record.id);
    }
    throw error;
  }
}

async function running(record: Deployment, run: number | undefined, { store, forge }: Context): Promise<Deployment> {
  const known =
    run === undefined ? {} : { run, url: webAddress(forge.web, { kind: 'run', of: { ...record.repository, run } }) };
  const started: Deployment = { ...record, ...known, state: 'running' };
  await store.deployments.put(started);
  return started;
}

function deploymentPolicy({ environment, breakGlass }: Asked, context: Context) {
  const { deployment } = configuredAs(environment, context);
  const { approve, channel, expires, requesterCounts, authorsCount } = deployment;
  const count = breakGlass ? 0 : (deployment.count ?? 1);
  return {
    said: { approve: approve ?? 'maintainer', count, channel, expires, requesterCounts, authorsCount },
    source: `deployments.${environment}`,
    asks: breakGlass && deployment.breakGlass ? { ...deployment.breakGlass, teams: [] } : deployment.ask,
  };
}

async function findStartedDeployment(asked: Asked, context: Context, { note }: Sent) {
  const { environment } = asked;
  const record = await context.store.deployments.get(environment, context.job ?? '');
  if (!record) return undefined;
  const what = { at: record.repository, workflow: record.workflow, ref: record.ref, inputs: {} };
  const found = await findStarted(what, context, note);
  return found === undefined || found === 'unknowable' ? found : running(record, found.run, context);
}

export const deploy = command({
  name: 'deploy',
  summary: 'Deploy a branch or tag to an environment, once someone else approves the commit',
  examples: [
    'deploy production',
    'deploy production v1.8 --reason "Fixes the login"',
    'deploy production --break-glass --reason "Site is down"',
  ],
  fields: {
    environment: environment(),
    ref: optional(text({ label: 'Branch or tag', placeholder: 'ref' })),
    input: flag(inputs()),
    reason: flag(text({ label: 'Reason', max: 500 })),
    breakGlass: {
      ...toggle({ label: 'Break glass', text: 'Deploy at once without approval, and notify the approvers' }),
      notForAgents: true,
    },
  },
  form: { submit: 'Request deployment', asks: { into: 'input', of: questions } },
  role: 'everyone',
  risk: 'risky',
  effect: 'once',
  operations: [
    'workflows.dispatch',
    'repos.get',
    'repos.listTeams',
    'orgs.listTeamMembers',
    'repos.getFile',
    'repos.listCommits',
    'repos.commitStatus',
    'pulls.list',
    'runs.list',
    'runs.get',
    'issues.timeline',
    'users.get',
    'users.search',
  ],
  needs: ['workflows.dispatch', 'repos.listCommits', 'repos.getFile'],
  approval: { policy: deploymentPolicy, observe: observeDeploy, asksAgain: true },
  repositories: ({ environment }, context) => [configuredAs(environment, context).at],
  plan: async (asked, context) => [dispatchRequest((await targetOf(asked, context)).what)],
  run: startDeployment,
  findDone: findStartedDeployment,
  reply: (started) => say(deploymentWords(started)),
});
