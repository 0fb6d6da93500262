import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { fullName, type RunRef } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import { ifAnswered, soon } from '../../forge/possible.js';
import type { WorkflowRun } from '../../forge/schemas.js';
import { doneCard } from '../../view/cards/outcome.js';
import { numberOf } from '../../view/cards/run.js';
import { message } from '../../view/message.js';
import { runState } from '../../view/state.js';
import { md } from '../../view/text.js';
import {
  branchOf,
  forceButton,
  isDone,
  meantRun,
  pageButton,
  readRun,
  runBlocks,
  showButton,
  type WrittenRun,
  writtenRun,
} from './read.js';

const doing = { verb: 'Cancel', command: 'run cancel' } as const;

const over = (ref: RunRef, run: WorkflowRun | undefined, cause?: unknown) => {
  const [which, state] = run ? [`Run ${numberOf(run)}`, ` (${runState(run)})`] : ['The run', ''];
  return new UserError(`${which} in ${fullName(ref)} has already finished${state}.`, { cause });
};

/** Some servers answer with the run, some with nothing, even for a run that had already ended. */
async function cancel(ref: RunRef, context: Context): Promise<WorkflowRun | undefined> {
  const { api } = context;
  try {
    const answer = await api.runs.cancel(ref);
    const run = answer ?? (await soon(readRun(ref, context)));
    if (!answer && run && isDone(run) && run.conclusion !== 'cancelled') throw over(ref, run);
    return run;
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== 'conflict') throw error;
    throw over(ref, await ifAnswered(api.runs.get(ref)), error);
  }
}

const canceledBranch = async ({ run }: { readonly run: WrittenRun }, context: Context) => [
  await branchOf(await meantRun(run, doing, context), context),
];

async function planCancel({ run }: { readonly run: WrittenRun }, context: Context) {
  return [request('runs.cancel', await meantRun(run, doing, context))];
}

async function cancelRun({ run }: { readonly run: WrittenRun }, context: Context) {
  const found = await cancel(await meantRun(run, doing, context), context);
  return { found, mayForce: await context.forge.capabilities.has('runs.forceCancel') };
}

function canceledMessage(
  { found, mayForce }: Awaited<ReturnType<typeof cancelRun>>,
  { run: at }: { readonly run: WrittenRun },
  { now }: Context,
) {
  if (!found) {
    const says = md`Cancel requested for the run in ${fullName(at)}. The forge did not show it afterwards.`;
    return message({ blocks: doneCard({ says }) });
  }
  if (isDone(found)) return message({ blocks: runBlocks(found, at, { now, says: md`Canceled` }) });
  const still = mayForce ? ' If it still runs after a while, force-cancel it.' : '';
  const notes = [`Waiting for its runner to confirm.${still}`];
  const buttons = [mayForce ? forceButton(found, at) : undefined, showButton(found, at), pageButton(found)];
  return message({ blocks: runBlocks(found, at, { now, says: md`Cancel requested for`, notes, buttons }) });
}

export const runCancel = command({
  name: 'run cancel',
  summary: 'Cancel a workflow run',
  examples: ['run cancel acme/engine#123'],
  fields: { run: writtenRun() },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: ['runs.cancel', 'runs.get', 'runs.list'],
  needs: ['runs.cancel'],
  approval: { branches: canceledBranch },
  plan: planCancel,
  run: cancelRun,
  reply: canceledMessage,
});
