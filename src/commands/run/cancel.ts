import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { fullName, type RunRef } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import { message } from '../../view/message.js';
import { runState } from '../../view/state.js';
import { md } from '../../view/text.js';
import { ifTold } from '../possible.js';
import { forceButton, pageButton, runBlocks, showButton } from './card.js';
import { refuseNamesakes } from './namesake.js';
import { isDone } from './read.js';
import { exactly, writtenRun } from './written.js';

const doing = { verb: 'Cancel', command: 'run cancel' };

async function cancel(ref: RunRef, { api }: Context): Promise<WorkflowRun> {
  try {
    return await api.runs.cancel(ref);
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== 'conflict') throw error;
    const present = await ifTold(api.runs.get(ref));
    const state = present ? ` (${runState(present)})` : '';
    throw new UserError(`Run ${ref.run} of ${fullName(ref)} is over already${state}: there is nothing to cancel.`, {
      cause: error,
    });
  }
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
  async plan({ run }, context) {
    await refuseNamesakes([run], doing, context);
    return [request('runs.cancel', exactly(run))];
  },
  async run({ run }, context) {
    await refuseNamesakes([run], doing, context);
    const found = await cancel(exactly(run), context);
    return { found, mayForce: await context.forge.capabilities.has('runs.forceCancel') };
  },
  reply({ found, mayForce }, { run: at }, { now }) {
    if (isDone(found)) return message({ blocks: runBlocks(found, at, { now, says: md`Cancelled` }) });
    const still = mayForce ? ' If it still runs after a while, force-cancel it.' : '';
    const notes = [`Its runner has to confirm.${still}`];
    const buttons = [mayForce ? forceButton(found, at) : undefined, showButton(found, at), pageButton(found)];
    return message({ blocks: runBlocks(found, at, { now, says: md`Asked to cancel`, notes, buttons }) });
  },
});
