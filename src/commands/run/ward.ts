import type { Context } from '../../chat/context.js';
import { type RepositoryRef, readRepository } from '../../chat/references.js';
import { gathered } from '../../forge/index.js';
import type { WorkflowJob } from '../../forge/schemas/job.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import type { Runner } from '../../forge/schemas/runner.js';
import { ifTold, possible } from '../possible.js';
import { type History, symptomsOf } from './symptoms.js';

export interface Patient {
  readonly run: WorkflowRun;
  readonly at: RepositoryRef;
  readonly symptoms: readonly string[];
  /** Asked to stop, and nobody confirmed: since when, as far as is known. */
  readonly cancelling: { readonly since: Date | undefined } | undefined;
}

export interface Ward {
  readonly patients: readonly Patient[];
  /** How many unfinished runs were looked at. */
  readonly looked: number;
  readonly more: boolean;
  /** False: what runners do could not be seen. */
  readonly runnersSeen: boolean;
}

export interface Wanted {
  /** Undefined: the whole forge. */
  readonly repository: RepositoryRef | undefined;
  readonly workflow?: string | undefined;
  readonly branch?: string | undefined;
}

const page = 50;
const mostRunners = 500;
const aWhileMs = 60_000;

const workflowOf = ({ path }: WorkflowRun) => path.split('@', 1)[0] ?? '';

const isOld = (moment: Date | undefined, now: Date) => !moment || now.getTime() - moment.getTime() >= aWhileMs;

/** Runs that have not ended; those that wait for a runner's word are reported but never filtered for. */
async function openRuns({ repository, branch }: Wanted, { api, now }: Context) {
  const list = (query: { status?: ('in_progress' | 'queued')[] }) => {
    const whole = { ...query, branch, exclude_pull_requests: true, limit: page };
    return repository ? api.runs.list({ ...repository, query: whole }) : api.admin.listRuns({ query: whole });
  };
  const open = await list({ status: ['in_progress', 'queued'] });
  const latest = await list({});
  const known = new Set(open.items.map(({ id }) => id));
  const cancelling = latest.items.filter(
    (run) => run.status === 'in_progress' && !open.hasMore && !known.has(run.id) && isOld(run.started_at, now),
  );
  return { runs: [...open.items, ...cancelling], cancelling: new Set(cancelling), more: open.hasMore };
}

const allRunners = ({ api }: Context): Promise<Runner[]> =>
  gathered(api.admin.listRunners.each({}, { max: mostRunners }));

/** Of one run where the server can say; else picked from the jobs of the whole forge. */
async function jobsOf(at: RepositoryRef, run: WorkflowRun, { api }: Context): Promise<readonly WorkflowJob[]> {
  const own = await possible(api.runs.listJobs({ ...at, run: run.id, query: { limit: page } }));
  if (own) return own.items;
  const all: WorkflowJob[] = [];
  const query = { status: ['in_progress' as const, 'queued' as const] };
  for await (const job of api.admin.listJobs.each({ query }, { max: 500 })) if (job.run_id === run.id) all.push(job);
  return all;
}

async function histories(at: RepositoryRef, { api }: Context): Promise<ReadonlyMap<string, History>> {
  const query = { status: ['success' as const, 'failure' as const], exclude_pull_requests: true, limit: page };
  const done = await ifTold(api.runs.list({ ...at, query }));
  const byWorkflow = new Map<string, number[]>();
  for (const run of done?.items ?? []) {
    if (!run.started_at || !run.completed_at) continue;
    const lasted = byWorkflow.get(workflowOf(run)) ?? [];
    byWorkflow.set(workflowOf(run), [...lasted, run.completed_at.getTime() - run.started_at.getTime()]);
  }
  return byWorkflow;
}

/** Every unfinished run with what speaks against it; the healthy ones are left out. */
export async function visit(wanted: Wanted, context: Context): Promise<Ward> {
  const { runs, cancelling, more } = await openRuns(wanted, context);
  const runners = await ifTold(allRunners(context));
  const past = new Map<string, Promise<ReadonlyMap<string, History>>>();
  const historyOf = async (at: RepositoryRef, run: WorkflowRun) => {
    const name = `${at.owner}/${at.repo}`;
    const known = past.get(name) ?? histories(at, context);
    past.set(name, known);
    return (await known).get(workflowOf(run)) ?? [];
  };
  const examined = runs
    .filter((run) => wanted.workflow === undefined || workflowOf(run) === wanted.workflow)
    .map(async (run): Promise<Patient[]> => {
      const at = wanted.repository ?? readRepository(run.repository?.full_name ?? '', '');
      if (!at) return [];
      const jobs = await ifTold(jobsOf(at, run, context));
      const history = run.status === 'in_progress' ? await historyOf(at, run) : [];
      const symptoms = symptomsOf({ run, jobs, runners, history, now: context.now });
      const asked = cancelling.has(run) ? { since: run.updated_at } : undefined;
      const ill = symptoms.length > 0 || (asked !== undefined && isOld(asked.since, context.now));
      return ill ? [{ run, at, symptoms, cancelling: asked }] : [];
    });
  const patients = (await Promise.all(examined)).flat();
  return { patients, looked: runs.length, more, runnersSeen: runners !== undefined };
}

/** An ordinary cancel had its time and did not help. */
export const cancelFailed = ({ cancelling }: Patient, now: Date) =>
  cancelling !== undefined && isOld(cancelling.since, now);
