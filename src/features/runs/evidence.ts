import type { Context } from '../../chat/context.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { type Api, gather } from '../../forge/index.js';
import { lastWritten } from '../../forge/log-excerpt.js';
import type { FailureKind } from '../../forge/operation.js';
import { ifAnswered, possible } from '../../forge/possible.js';
import type { Runner, WorkflowJob, WorkflowRun } from '../../forge/schemas.js';
import { describeElapsed } from '../../view/when.js';
import { workflowOf } from './read.js';

/** How long this workflow's finished runs took, in milliseconds. */
type History = readonly number[];

interface Evidence {
  readonly run: WorkflowRun;
  /** Undefined: the forge does not say. */
  readonly jobs: readonly WorkflowJob[] | undefined;
  readonly runners: readonly Runner[] | undefined;
  readonly history: History;
  /** When each running job last wrote to its log, by job id, if known. */
  readonly wrote?: ReadonlyMap<number, Date>;
  readonly now: Date;
}

const minute = 60_000;
const enough = 3;
/** Without a history, a run may take as long as the forge allows any task. */
const anyRunMs = 180 * minute;
const patienceMs = 2 * minute;

const middle = (sorted: History): number => sorted[Math.floor(sorted.length / 2)] ?? 0;

/** What keeps this run from ending. Empty: it looks healthy. */
function symptomsOf(evidence: Evidence): readonly string[] {
  const { run } = evidence;
  if (run.status === 'in_progress') return [...tooLong(evidence), ...findGoneRunners(evidence), ...silent(evidence)];
  return run.status === 'queued' ? nobodyTakes(evidence) : [];
}

function tooLong({ run, history, now }: Evidence): string[] {
  if (!run.started_at) return [];
  const lasted = now.getTime() - run.started_at.getTime();
  const sorted = [...history].sort((a, b) => a - b);
  if (sorted.length < enough) {
    if (lasted < anyRunMs) return [];
    return [`Running for ${describeElapsed(lasted)}. This workflow has too few finished runs to compare with.`];
  }
  const [usual, longest] = [middle(sorted), sorted.at(-1) ?? 0];
  const limit = Math.max(usual * 3, longest * 1.5, usual + 10 * minute);
  if (lasted < limit) return [];
  return [
    `Running for ${describeElapsed(lasted)}. This workflow usually takes ${describeElapsed(usual)}, and at most ${describeElapsed(longest)} in its last ${sorted.length} runs.`,
  ];
}

function findGoneRunners({ jobs = [], runners }: Evidence): string[] {
  if (!runners) return [];
  return jobs
    .filter(({ status, runner_id }) => status === 'in_progress' && runner_id !== undefined)
    .flatMap((job) => {
      const runner = runners.find(({ id }) => id === job.runner_id);
      const name = job.runner_name || `runner ${job.runner_id}`;
      if (!runner) return [`Job ${job.name} is on ${name}, which no longer exists.`];
      return runner.status === 'offline' ? [`Job ${job.name} is on ${name}, which is offline.`] : [];
    });
}

const silenceMs = 15 * minute;

function silent({ jobs = [], wrote, now }: Evidence): string[] {
  return jobs.flatMap((job) => {
    const last = job.status === 'in_progress' ? wrote?.get(job.id) : undefined;
    const quiet = last ? now.getTime() - last.getTime() : 0;
    return quiet < silenceMs ? [] : [`Job ${job.name} has written no log for ${describeElapsed(quiet)}.`];
  });
}

const fits = (runner: Runner, labels: readonly string[]) =>
  labels.every((label) => runner.labels.some(({ name }) => name === label));

function nobodyTakes({ run, jobs = [], runners, now }: Evidence): string[] {
  const waits = now.getTime() - (run.created_at ?? jobs[0]?.created_at ?? now).getTime();
  if (!runners || waits < patienceMs) return [];
  return jobs
    .filter(({ status }) => status === 'queued')
    .flatMap((job) => {
      const able = runners.filter((runner) => fits(runner, job.labels));
      const wanted = `the ${job.labels.length === 1 ? 'label' : 'labels'} ${job.labels.join(', ')}`;
      if (able.length === 0)
        return [`Job ${job.name} has been waiting for ${describeElapsed(waits)}: no runner has ${wanted}.`];
      if (able.some((runner) => runner.status !== 'offline' && runner.disabled !== true)) return [];
      const why = able.map(({ name, disabled }) => `${name} is ${disabled ? 'disabled' : 'offline'}`).join(', ');
      return [`Job ${job.name} has been waiting for ${describeElapsed(waits)}. Of the runners with ${wanted}, ${why}.`];
    });
}

const page = 50;
const mostRunners = 500;
const mostLogs = 3;

/** The run's jobs if the server can list them, or else picked from the jobs of the whole forge. */
async function jobsOf(at: RepositoryRef, run: WorkflowRun, api: Api): Promise<readonly WorkflowJob[]> {
  const own = await possible(api.runs.listJobs({ ...at, run: run.id, query: { limit: page } }));
  if (own) return own.items;
  const all: WorkflowJob[] = [];
  const query = { status: ['in_progress' as const, 'queued' as const] };
  for await (const job of api.admin.listJobs.each({ query }, { max: 500 })) if (job.run_id === run.id) all.push(job);
  return all;
}

async function histories(at: RepositoryRef, api: Api): Promise<ReadonlyMap<string, History>> {
  const query = { status: ['success' as const, 'failure' as const], exclude_pull_requests: true, limit: page };
  const done = await ifAnswered(api.runs.list({ ...at, query }));
  const byWorkflow = new Map<string, number[]>();
  for (const run of done?.items ?? []) {
    if (!run.started_at || !run.completed_at) continue;
    const lasted = byWorkflow.get(workflowOf(run)) ?? [];
    byWorkflow.set(workflowOf(run), [...lasted, run.completed_at.getTime() - run.started_at.getTime()]);
  }
  return byWorkflow;
}

/** When each running job last wrote; if the server does not say, nothing is concluded. */
async function writtenAt(at: RepositoryRef, jobs: readonly WorkflowJob[], api: Api): Promise<Map<number, Date>> {
  const found = new Map<number, Date>();
  for (const { id } of jobs.filter(({ status }) => status === 'in_progress').slice(0, mostLogs)) {
    const log = await ifAnswered(api.runs.jobLog({ ...at, job_id: id }));
    const last = log && lastWritten(log.text);
    if (last) found.set(id, last);
  }
  return found;
}

/** Lists the symptoms of each unfinished run; runners and past runs are read once for all. */
export async function gatherer({ api, now }: Pick<Context, 'api' | 'now'>) {
  let runnersUnread: FailureKind | undefined;
  const runners = await ifAnswered(gather(api.admin.listRunners.each({}, { max: mostRunners })), ({ kind }) => {
    runnersUnread = kind;
  });
  const past = new Map<string, Promise<ReadonlyMap<string, History>>>();
  const historyOf = async (at: RepositoryRef, run: WorkflowRun) => {
    const name = fullName(at);
    const known = past.get(name) ?? histories(at, api);
    past.set(name, known);
    return (await known).get(workflowOf(run)) ?? [];
  };
  return {
    runnersUnread,
    async symptoms(at: RepositoryRef, run: WorkflowRun): Promise<readonly string[]> {
      const jobs = await ifAnswered(jobsOf(at, run, api));
      const runs = run.status === 'in_progress';
      const history = runs ? await historyOf(at, run) : [];
      const wrote = runs ? await writtenAt(at, jobs ?? [], api) : new Map<number, Date>();
      return symptomsOf({ run, jobs, runners, history, wrote, now });
    },
  };
}
