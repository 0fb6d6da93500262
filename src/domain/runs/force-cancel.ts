import type { Observation } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { explanation } from '../../chat/explain.js';
import { fullName, type RunRef } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import { doneCard } from '../../view/cards/outcome.js';
import { numberOf, runName } from '../../view/cards/run.js';
import { some } from '../../view/look.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { beforeForce, refuseOver } from './before-force.js';
import { runBlocks } from './card.js';
import { meantRun } from './meant-run.js';
import { branchOf, isDone, readRun } from './read.js';
import type { WrittenRun } from './run-field.js';

interface ForceCancel {
  readonly run: WrittenRun;
  readonly also?: readonly number[] | undefined;
  readonly reason?: string | undefined;
}

interface Ended {
  readonly cancelled: readonly WorkflowRun[];
  /** Not canceled, each with its reason. */
  readonly left: readonly string[];
}

/** Checked again right before sending; a run that has ended is left alone. */
async function force(ref: RunRef, run: WorkflowRun, context: Context): Promise<WorkflowRun | string> {
  const over = `Run ${numberOf(run)} in ${fullName(ref)} has already finished.`;
  if (isDone(run)) return over;
  try {
    return await context.api.runs.forceCancel(ref);
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'conflict') return over;
    throw error;
  }
}

async function forceAll(refs: readonly RunRef[], context: Context): Promise<Ended> {
  const ended: (WorkflowRun | string)[] = [];
  for (const ref of refs) {
    let which = `The run with the ID ${ref.run}`;
    try {
      const run = await readRun(ref, context);
      which = `Run ${numberOf(run)}`;
      ended.push(await force(ref, run, context));
    } catch (error) {
      if (refs.length === 1 || !(error instanceof ApiError || error instanceof UserError)) throw error;
      ended.push(`${which}: ${explanation(error, context).says}`);
    }
  }
  const left = ended.filter((each) => typeof each === 'string');
  const cancelled = ended.filter((each) => typeof each !== 'string');
  if (cancelled.length === 0) throw new UserError(left.join('\n'));
  return { cancelled, left };
}

const doing = { verb: 'Force-cancel', command: 'run force-cancel' } as const;

/** Without duplicates, the first one first. */
function allOf(run: RunRef, further: readonly number[] = []): readonly RunRef[] {
  const ids = [...new Set([run.run, ...further])];
  return ids.map((id) => ({ owner: run.owner, repo: run.repo, run: id }));
}

/** Further numbers are of the same kind as the first: typed, from an address, or ids from a button. */
async function allMeant({ run, also, reason }: ForceCancel, context: Context): Promise<readonly RunRef[]> {
  const written = allOf(run, also);
  const meant: RunRef[] = [];
  const chosen = written.length === 1 ? { ...doing, args: { reason } } : undefined;
  for (const ref of written) meant.push(await meantRun({ ...run, ...ref }, chosen, context));
  return meant;
}

export const forcedBranches = async (wanted: ForceCancel, context: Context) =>
  Promise.all((await allMeant(wanted, context)).map((ref) => branchOf(ref, context)));

export async function planForceCancel(wanted: ForceCancel, context: Context) {
  const refs = await allMeant(wanted, context);
  await refuseOver(refs, context);
  return refs.map((ref) => request('runs.forceCancel', ref));
}

export const observeForceCancel = async (wanted: ForceCancel, context: Context): Promise<Observation> =>
  beforeForce(await allMeant(wanted, context), context);

export const forceCancel = async (wanted: ForceCancel, context: Context) =>
  forceAll(await allMeant(wanted, context), context);

export function forceCanceledMessage({ cancelled, left }: Ended, { run: ref }: ForceCancel, { now }: Context) {
  const [first, ...others] = cancelled;
  if (first && others.length === 0 && left.length === 0)
    return message({ blocks: runBlocks(first, ref, { now, says: md`Force-canceled` }) });
  const list = cancelled.map((run) => runName(run));
  const says = md`Force-canceled ${cancelled.length} of ${cancelled.length + left.length} runs: ${some(list, 20)}`;
  return message({ blocks: doneCard({ says, but: left }) });
}
