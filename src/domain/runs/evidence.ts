import type { Context } from '../../chat/context.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { type Api, gathered } from '../../forge/index.js';
import { lastWritten } from '../../forge/log-excerpt.js';
import type { FailureKind } from '../../forge/operation.js';
import { ifAnswered, possible } from '../../forge/possible.js';
import type { WorkflowJob } from '../../forge/schemas/job.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import { workflowOf } from './read.js';
import { type History, symptomsOf } from './symptoms.js';

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
  const runners = await ifAnswered(gathered(api.admin.listRunners.each({}, { max: mostRunners })), ({ kind }) => {
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
