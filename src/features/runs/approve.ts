import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { fullName, type RunRef } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { refuseRedeploy } from '../deploy/gate.js';
import { branchOf, meantRun, readRun, runBlocks, type WrittenRun, writtenRun } from './read.js';

const doing = { verb: 'Approve', command: 'run approve' } as const;

async function meantFor(run: WrittenRun, context: Context): Promise<RunRef> {
  const ref = await meantRun(run, doing, context);
  await refuseRedeploy(ref, await readRun(ref, context), context);
  return ref;
}

async function approve(ref: RunRef, context: Context): Promise<RunRef> {
  try {
    await context.api.runs.approve(ref);
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== 'conflict') throw error;
    throw new UserError(`This run of ${fullName(ref)} doesn’t need approval.`, { cause: error });
  }
  return ref;
}

export const runApprove = command({
  name: 'run approve',
  summary: 'Approve a run from a fork so that it starts',
  examples: ['run approve acme/engine#123'],
  fields: { run: writtenRun() },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'An approval is given by a person.',
  operations: ['runs.approve', 'runs.get', 'runs.list', 'repos.get'],
  needs: ['runs.approve'],
  approval: { branches: async ({ run }, context) => [await branchOf(await meantRun(run, doing, context), context)] },
  plan: async ({ run }, context) => [request('runs.approve', await meantFor(run, context))],
  run: async ({ run }, context) => approve(await meantFor(run, context), context),
  reply: async (ref, { run: at }, context) =>
    message({ blocks: runBlocks(await readRun(ref, context), at, { now: context.now, says: md`Approved` }) }),
});
