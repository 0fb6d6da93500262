import type { Context } from '../../chat/context.js';
import { fullName, type RunRef } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import { isAbsent, possible } from '../../forge/possible.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import { type Doing, whichOf } from './ask-which.js';
import { readRun } from './read.js';
import { exactly, type WrittenRun } from './run-field.js';

/** The run with this number on the forge's pages. */
async function numbered({ owner, repo, run }: RunRef, { api }: Context): Promise<WorkflowRun | undefined> {
  const query = { run_number: run, exclude_pull_requests: true, limit: 1 };
  return (await possible(api.runs.list({ owner, repo, query })))?.items[0];
}

/** Another run whose number on the forge's pages equals this one's id. */
export async function otherRunNumbered(ref: WrittenRun, context: Context): Promise<WorkflowRun | undefined> {
  if (!ref.byHand) return undefined;
  const other = await numbered(ref, context);
  return other?.id === ref.run ? undefined : other;
}

async function ifThere(ref: RunRef, context: Context): Promise<WorkflowRun | undefined> {
  try {
    return await readRun(exactly(ref), context);
  } catch (error) {
    if (isNone(error)) return undefined;
    throw error;
  }
}

/** No run has that id, according to the forge or its list. */
export const isNone = (error: unknown) => error instanceof UserError || isAbsent(error);

/** Whether this is the number in the run's own address, as the forge writes it. */
const isAt = ({ html_url }: WorkflowRun, number: number) =>
  new RegExp(`/actions/runs/${number}(?:[/?#]|$)`).test(html_url);

/** The run behind a pasted address: certain only if that is the run's own address. */
export async function runAt(ref: RunRef, context: Context, doing?: Doing): Promise<WorkflowRun> {
  const byId = await ifThere(ref, context);
  if (byId && isAt(byId, ref.run)) return byId;
  const byNumber = await numbered(ref, context);
  if (byNumber && isAt(byNumber, ref.run)) return byNumber;
  if (!byId && !byNumber)
    throw new UserError(`I can’t find a run at that address. See /forge run list ${fullName(ref)}.`);
  throw whichOf(ref, byId, byNumber, doing, context);
}

/** The id of the intended run. If that is not certain, nothing happens before the person chooses. */
export async function meantRun(ref: WrittenRun, doing: Doing | undefined, context: Context): Promise<RunRef> {
  if (ref.pasted) return { ...exactly(ref), run: (await runAt(ref, context, doing)).id };
  const other = await otherRunNumbered(ref, context);
  if (!other) return exactly(ref);
  const typed = await ifThere(ref, context);
  if (!typed && doing?.reads) return { ...exactly(ref), run: other.id };
  throw whichOf(ref, typed, other, doing, context);
}
