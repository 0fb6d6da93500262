import type { Event, EventOf, RunWhy } from '../feed/event.js';
import { excerptOf, tellingLines } from '../forge/log-excerpt.js';
import { ifAnswered } from '../forge/possible.js';
import type { RepoCommit } from '../forge/schemas/commit.js';
import type { WorkflowJob } from '../forge/schemas/job.js';
import { splitFullName } from '../full-name.js';
import { detail } from './detail.js';
import type { FeedDeps } from './feed-deps.js';
import { createRunWaiting } from './run-waiting.js';

const mostLines = 5;
const mostCommits = 10;
const recentJobs = 50;
const latelyMs = 24 * 3_600_000;

type RunEvent = EventOf<'runs:failure'>;
const isFailedRun = (event: Event): event is RunEvent => event.kind === 'runs:failure';

const authorOf = ({ author, commit }: RepoCommit) => author?.login ?? commit?.author?.name ?? '';

/** Why a run failed: its job, step, log lines and commits since the last success; read once for all recipients. */
function createRunWhy({ service, has, log }: Pick<FeedDeps, 'service' | 'has' | 'log'>) {
  const tryRead = <T>(asking: Promise<T>) =>
    ifAnswered(asking, ({ message }) => log.debug({ reason: message }, 'why a run failed could not be read in full'));

  async function failedJob(at: { owner: string; repo: string; run: number }): Promise<WorkflowJob | undefined> {
    if (!(await has('runs.listJobs'))) return undefined;
    const jobs = await tryRead(service.runs.listJobs({ ...at, query: { limit: recentJobs } }, detail()));
    return jobs?.items.find(({ conclusion }) => conclusion === 'failure');
  }

  async function linesOf(
    at: { owner: string; repo: string },
    job: WorkflowJob,
  ): Promise<Pick<RunWhy, 'step' | 'lines'>> {
    const text = (await has('runs.jobLog'))
      ? await tryRead(service.runs.jobLog({ ...at, job_id: job.id }, detail()))
      : undefined;
    if (!text) return { lines: [] };
    const { step, lines } = excerptOf(text.text, { most: 40, whole: text.whole });
    return { ...(step !== undefined && { step }), lines: [...tellingLines(lines, mostLines)] };
  }

  /** The commits since the last green run, newest first. */
  async function commitsSince(at: { owner: string; repo: string }, red: string, green: string | undefined) {
    if (green === undefined || green === red || green === '') return [];
    const query = { sha: red, not: green, limit: mostCommits, stat: false, verification: false, files: false };
    const page = await tryRead(service.repos.listCommits({ ...at, query }, detail()));
    return (page?.items ?? []).map((each) => ({
      sha: each.sha,
      message: each.commit?.message.split('\n', 1)[0] ?? '',
      author: authorOf(each),
      ...(each.author?.login && { login: each.author.login }),
    }));
  }

  /** Other branches where a job of the same name failed recently: then these commits are hardly the cause. */
  async function elsewhere(at: { owner: string; repo: string }, job: WorkflowJob, branch: string): Promise<string[]> {
    if (!(await has('runs.listRepoJobs'))) return [];
    const query = { status: ['failure' as const], sort: 'id' as const, order: 'desc' as const, limit: recentJobs };
    const page = await tryRead(service.runs.listRepoJobs({ ...at, query }, detail()));
    const since = (job.completed_at ?? new Date()).getTime() - latelyMs;
    const isRecent = ({ completed_at }: WorkflowJob) => (completed_at?.getTime() ?? 0) >= since;
    const same = (page?.items ?? []).filter(
      (each) => each.name === job.name && each.head_branch !== branch && isRecent(each),
    );
    return [...new Set(same.map(({ head_branch }) => head_branch).filter((name) => name !== ''))].slice(0, 5);
  }

  return async (event: RunEvent): Promise<RunEvent> => {
    const { owner, repo } = splitFullName(event.repo.fullName);
    const { run } = event;
    const broke = run.transition?.to === 'red';
    const [canRerun, hasLog, job, commits] = await Promise.all([
      has('runs.rerunFailed'),
      has('runs.jobLog'),
      failedJob({ owner, repo, run: run.id }),
      broke ? commitsSince({ owner, repo }, run.sha, run.transition?.green) : [],
    ]);
    const offers = { ...(canRerun && { rerun: true as const }), ...(hasLog && { log: true as const }) };
    if (!job) return { ...event, run: { ...run, offers, ...(commits.length > 0 && { why: { lines: [], commits } }) } };
    const [lines, others] = await Promise.all([
      linesOf({ owner, repo }, job),
      broke ? elsewhere({ owner, repo }, job, run.branch) : undefined,
    ]);
    const why: RunWhy = { job: job.name, ...lines, commits, ...(others && { elsewhere: others }) };
    return { ...event, run: { ...run, offers, why } };
  };
}

interface Decided {
  readonly event: Event;
  readonly to: readonly { readonly delivery?: unknown }[];
}

/** Jobs and logs are read only for failed runs that are posted, authors and files only for waiting ones. */
export function createExplained(deps: Pick<FeedDeps, 'service' | 'has' | 'log'>) {
  const withWhy = createRunWhy(deps);
  const withWaiting = createRunWaiting(deps);
  return async <D extends Decided>(plain: D, decide: (event: Event) => D): Promise<D> => {
    const { event, to } = plain;
    if (!to.some(({ delivery }) => delivery !== undefined)) return plain;
    if (isFailedRun(event)) return decide(await withWhy(event));
    return event.kind === 'runs:waiting' ? decide(await withWaiting(event)) : plain;
  };
}
