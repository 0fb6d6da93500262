import type { Context } from '../../chat/context.js';
import { type RepositoryRef, readRepository } from '../../chat/references.js';
import { ApiError, gathered } from '../../forge/index.js';
import type { WorkflowJob } from '../../forge/schemas/job.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import type { Runner } from '../../forge/schemas/runner.js';
import { ifTold, possible } from '../possible.js';
import { workflowOf } from './read.js';
import { type History, symptomsOf } from './symptoms.js';

export interface StuckRun {
  readonly run: WorkflowRun;
  readonly at: RepositoryRef;
  readonly symptoms: readonly string[];
  /** Asked to stop, and nobody confirmed: since when, as far as is known. */
  readonly cancelling: { readonly since: Date | undefined } | undefined;
}

export interface StuckRuns {
  readonly stuck: readonly StuckRun[];
  /** How many unfinished runs were looked at. */
  readonly looked: number;
  readonly more: boolean;
  /** False: what runners do could not be seen. */
  readonly runnersSeen: boolean;
  /** False: the whole forge is not shown to this person, only the repositories they can see. */
  readonly whole: boolean;
}

export interface Wanted {
  /** Undefined: the whole forge. */
  readonly repository: RepositoryRef | undefined;
  readonly workflow?: string | undefined;
  readonly branch?: string | undefined;
}

const page = 50;
const mostRuns = 300;
const mostRunners = 500;
const mostRepositories = 30;
const aWhileMs = 60_000;

const isOld = (moment: Date | undefined, now: Date) => !moment || now.getTime() - moment.getTime() >= aWhileMs;

interface OpenRuns {
  readonly runs: readonly WorkflowRun[];
  /** Those of them that were canceled, which no runner has confirmed. */
  readonly cancelling: ReadonlySet<WorkflowRun>;
  readonly more: boolean;
}

/** A canceled run that waits for its runner's word is in the whole list, and left out of the list of running ones. */
async function openRuns({ repository, branch }: Wanted, context: Context): Promise<OpenRuns> {
  const { api } = context;
  const list = (query: { status?: ('in_progress' | 'queued')[] }) => {
    const whole = { ...query, branch, exclude_pull_requests: true, limit: page };
    const max = mostRuns;
    return gathered(
      repository
        ? api.runs.list.each({ ...repository, query: whole }, { max })
        : api.admin.listRuns.each({ query: whole }, { max }),
    );
  };
  const latest = await list({});
  const open = await list({ status: ['in_progress', 'queued'] });
  const known = new Set(open.map(({ id }) => id));
  const hidden = latest.filter(({ id, status }) => status === 'in_progress' && !known.has(id));
  const unended = await Promise.all(hidden.map((run) => stillRuns(run, repository, context)));
  const cancelling = hidden.filter((_, at) => unended[at]);
  return { runs: [...open, ...cancelling], cancelling: new Set(cancelling), more: open.length >= mostRuns };
}

/** It may have ended between the two lists. */
async function stillRuns(run: WorkflowRun, at: RepositoryRef | undefined, { api }: Context): Promise<boolean> {
  const where = at ?? readRepository(run.repository?.full_name ?? '', '');
  const now = where && (await ifTold(api.runs.get({ ...where, run: run.id })));
  return now === undefined || now.status === 'in_progress';
}

/** Who may not see all runs of the forge sees those of the repositories they can see, the liveliest first. */
async function visibleRuns(wanted: Wanted, context: Context): Promise<OpenRuns & { readonly whole: boolean }> {
  try {
    return { ...(await openRuns(wanted, context)), whole: true };
  } catch (error) {
    const shut = error instanceof ApiError && (error.kind === 'forbidden' || error.unsupported);
    if (wanted.repository || !shut) throw error;
  }
  const query = { sort: 'updated', order: 'desc', limit: mostRepositories } as const;
  const { items } = await context.api.repos.search({ query });
  const places = items.filter(({ has_actions }) => has_actions).map(({ full_name }) => readRepository(full_name, ''));
  const each = places.map((repository) => repository && ifTold(openRuns({ ...wanted, repository }, context)));
  const seen = (await Promise.all(each)).filter((one) => one !== undefined);
  return {
    runs: seen.flatMap(({ runs }) => runs),
    cancelling: new Set(seen.flatMap(({ cancelling }) => [...cancelling])),
    more: seen.some(({ more }) => more),
    whole: false,
  };
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
export async function findStuck(wanted: Wanted, context: Context): Promise<StuckRuns> {
  const { runs, cancelling, more, whole } = await visibleRuns(wanted, context);
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
    .map(async (run): Promise<StuckRun[]> => {
      const at = wanted.repository ?? readRepository(run.repository?.full_name ?? '', '');
      if (!at) return [];
      const jobs = await ifTold(jobsOf(at, run, context));
      const history = run.status === 'in_progress' ? await historyOf(at, run) : [];
      const symptoms = symptomsOf({ run, jobs, runners, history, now: context.now });
      const asked = cancelling.has(run) ? { since: run.updated_at } : undefined;
      return symptoms.length > 0 || asked ? [{ run, at, symptoms, cancelling: asked }] : [];
    });
  const stuck = (await Promise.all(examined)).flat();
  return { stuck, looked: runs.length, more, runnersSeen: runners !== undefined, whole };
}

/** An ordinary cancel had its time and did not help. */
export const cancelFailed = ({ cancelling }: StuckRun, now: Date) =>
  cancelling !== undefined && isOld(cancelling.since, now);
