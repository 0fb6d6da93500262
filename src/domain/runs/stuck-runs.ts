import type { Context } from '../../chat/context.js';
import { type RepositoryRef, readRepository } from '../../chat/references.js';
import { ApiError, gathered } from '../../forge/index.js';
import type { FailureKind } from '../../forge/operation.js';
import { ifAnswered } from '../../forge/possible.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import { gatherer } from './evidence.js';
import { workflowOf } from './read.js';

export interface StuckRun {
  readonly run: WorkflowRun;
  readonly at: RepositoryRef;
  readonly symptoms: readonly string[];
  /** Asked to stop without confirmation: since when, as far as known. */
  readonly cancelling: { readonly since: Date | undefined } | undefined;
}

export interface StuckRuns {
  readonly stuck: readonly StuckRun[];
  /** How many unfinished runs were checked. */
  readonly looked: number;
  readonly more: boolean;
  /** Why the runners' state could not be read, if so. */
  readonly runnersUnread: FailureKind | undefined;
  /** Undefined: all that were asked for. Otherwise this person may not see all runs of the forge. */
  readonly places: Places | undefined;
}

/** The repositories that were checked instead of the whole forge, most recently updated first. */
interface Places {
  readonly checked: number;
  /** There are more. */
  readonly more: boolean;
  /** Those whose runs could not be read. */
  readonly unread: readonly string[];
}

export interface Wanted {
  /** Undefined: the whole forge. */
  readonly repository: RepositoryRef | undefined;
  readonly workflow?: string | undefined;
  readonly branch?: string | undefined;
}

const page = 50;
const mostRuns = 300;
const mostRepositories = 30;
const aWhileMs = 60_000;

const isOld = (moment: Date | undefined, now: Date) => !moment || now.getTime() - moment.getTime() >= aWhileMs;

interface OpenRuns {
  readonly runs: readonly WorkflowRun[];
  /** Those that were canceled, unconfirmed by their runner. */
  readonly cancelling: ReadonlySet<WorkflowRun>;
  readonly more: boolean;
}

/** A canceled run waiting for its runner is in the full list but not in the list of running ones. */
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

/** It may have ended between the two requests. */
async function stillRuns(run: WorkflowRun, at: RepositoryRef | undefined, { api }: Context): Promise<boolean> {
  const where = at ?? readRepository(run.repository?.full_name ?? '', '');
  const now = where && (await ifAnswered(api.runs.get({ ...where, run: run.id })));
  return now === undefined || now.status === 'in_progress';
}

/** People who may not see all runs of the forge see those of their visible repositories, most recently updated first. */
async function visibleRuns(wanted: Wanted, context: Context): Promise<OpenRuns & Pick<StuckRuns, 'places'>> {
  try {
    return { ...(await openRuns(wanted, context)), places: undefined };
  } catch (error) {
    const shut = error instanceof ApiError && (error.kind === 'forbidden' || error.unsupported);
    if (wanted.repository || !shut) throw error;
  }
  const query = { sort: 'updated', order: 'desc', limit: mostRepositories } as const;
  const { items, hasMore } = await context.api.repos.search({ query });
  const named = items.filter(({ has_actions }) => has_actions).map(({ full_name }) => full_name);
  const read = await Promise.all(
    named.map(async (name) => {
      const repository = readRepository(name, '');
      return repository && ifAnswered(openRuns({ ...wanted, repository }, context));
    }),
  );
  const seen = read.filter((one) => one !== undefined);
  return {
    runs: seen.flatMap(({ runs }) => runs),
    cancelling: new Set(seen.flatMap(({ cancelling }) => [...cancelling])),
    more: seen.some(({ more }) => more),
    places: { checked: items.length, more: hasMore, unread: named.filter((_, at) => !read[at]) },
  };
}

/** Every unfinished run with its symptoms, without the healthy ones. */
export async function findStuck(wanted: Wanted, context: Context): Promise<StuckRuns> {
  const { runs, cancelling, more, places } = await visibleRuns(wanted, context);
  const { symptoms: symptomsAt, runnersUnread } = await gatherer(context);
  const examined = runs
    .filter((run) => wanted.workflow === undefined || workflowOf(run) === wanted.workflow)
    .map(async (run): Promise<StuckRun[]> => {
      const at = wanted.repository ?? readRepository(run.repository?.full_name ?? '', '');
      if (!at) return [];
      const symptoms = await symptomsAt(at, run);
      const asked = cancelling.has(run) ? { since: run.updated_at } : undefined;
      return symptoms.length > 0 || asked ? [{ run, at, symptoms, cancelling: asked }] : [];
    });
  const stuck = (await Promise.all(examined)).flat();
  return { stuck, looked: runs.length, more, runnersUnread, places };
}

/** A regular cancel had its time and did not help. */
export const cancelFailed = ({ cancelling }: StuckRun, now: Date) =>
  cancelling !== undefined && isOld(cancelling.since, now);
