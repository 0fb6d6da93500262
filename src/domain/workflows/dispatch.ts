import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../../chat/context.js';
import type { RepositoryRef } from '../../chat/references.js';
import { type Request, request } from '../../chat/request.js';
import { ifAnswered, possible } from '../../forge/possible.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import { shortRef } from '../../short-ref.js';
import { isMine } from '../find-sent.js';
import { workflowOf } from '../runs/read.js';

/** Exactly what to start. */
export interface Dispatch {
  readonly at: RepositoryRef;
  /** The file name. */
  readonly workflow: string;
  /** In full: refs/heads/main, refs/tags/v1.8. */
  readonly ref: string;
  readonly inputs: Readonly<Record<string, string>>;
}

export interface Started {
  /** Undefined if neither the server nor its list of runs says. */
  readonly run: number | undefined;
}

const event = 'workflow_dispatch';
const latest = 50;
const looksAfterMs = [0, 500, 1_500] as const;

const input = ({ at: { owner, repo }, workflow, ref, inputs }: Dispatch) => ({
  owner,
  repo,
  workflow_id: workflow,
  query: { return_run_details: true },
  body: { ref, ...(Object.keys(inputs).length > 0 && { inputs: { ...inputs } }) },
});

export const dispatchRequest = (what: Dispatch): Request => request('workflows.dispatch', input(what));

const isAt = ({ path, head_branch }: WorkflowRun, ref: string) => {
  const [, whole] = /@(refs\/.+)$/.exec(path) ?? [];
  return whole === undefined ? head_branch === shortRef(ref) : whole === ref;
};

/** Manually started runs, newest first; undefined if the server lists none. */
async function started({ at }: Dispatch, { api }: Context): Promise<readonly WorkflowRun[] | undefined> {
  const query = { event, exclude_pull_requests: true, limit: latest };
  return (await possible(api.runs.list({ ...at, query })))?.items;
}

/** A run belongs to one job: two people who start the same workflow never get the same run. */
async function isOurs(run: number, { store, person, job = '' }: Context): Promise<boolean> {
  return (await store.claims.take(`dispatch:${run}`, 'started', job, person)) === undefined;
}

/** By workflow, ref, event and person, and newer than all existing runs. */
async function looked(what: Dispatch, context: Context, newestBefore: number): Promise<Started | undefined> {
  const runs = (await started(what, context)) ?? [];
  const fits = (run: WorkflowRun) =>
    run.id > newestBefore &&
    workflowOf(run) === what.workflow &&
    isAt(run, what.ref) &&
    isMine(run.trigger_actor ?? run.actor, context);
  for (const { id } of runs.filter(fits).reverse()) if (await isOurs(id, context)) return { run: id };
  return undefined;
}

/**
 * Sent once. The newest existing run is remembered with the job, so that after a crash `findStarted` can tell whether
 * the new run exists.
 */
export async function dispatch(what: Dispatch, context: Context): Promise<Started> {
  const before = await started(what, context);
  const newest = Math.max(0, ...(before ?? []).map(({ id }) => id));
  if (before) context.remember(String(newest));
  const answer = await context.api.workflows.dispatch(input(what));
  if (answer?.run !== undefined) {
    await isOurs(answer.run, context);
    return { run: answer.run };
  }
  for (const ms of before ? looksAfterMs : []) {
    await pause(ms);
    const found = await ifAnswered(looked(what, context, newest));
    if (found) return found;
  }
  return { run: undefined };
}

/** After a lost answer: the run it started, undefined if there is none, blind if that cannot be seen. */
export async function findStarted(
  what: Dispatch,
  context: Context,
  note: string | undefined,
): Promise<Started | 'blind' | undefined> {
  return note === undefined ? 'blind' : looked(what, context, Number(note));
}
