import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { flag, text, toggle } from '../../chat/fields/index.js';
import type { RunRef } from '../../chat/references.js';
import { type Request, request } from '../../chat/request.js';
import { cancelButton, pageButton, runBlocks, showButton } from '../../domain/runs/card.js';
import { meantRun } from '../../domain/runs/meant-run.js';
import { branchOf } from '../../domain/runs/read.js';
import { jobNamed, rerun, rerunSince, type Which } from '../../domain/runs/rerunning.js';
import { writtenRun } from '../../domain/runs/written.js';
import { UserError } from '../../errors.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';

const doing = { verb: 'Rerun', command: 'run rerun' } as const;

async function planned(ref: RunRef, { failed, job }: Which, context: Context): Promise<Request> {
  if (job !== undefined) return request('runs.rerunJob', { ...ref, job_id: (await jobNamed(ref, job, context)).id });
  return failed ? request('runs.rerunFailed', ref) : request('runs.rerun', ref);
}

export const runRerun = command({
  name: 'run rerun',
  summary: 'Rerun a workflow run, its failed jobs or one job',
  examples: [
    'run rerun acme/engine#123',
    'run rerun acme/engine#123 --failed',
    'run rerun acme/engine#123 --job build',
  ],
  fields: {
    run: writtenRun(),
    failed: toggle({ label: 'Failed jobs only' }),
    job: flag(text({ label: 'Job', hint: 'One job by its name, with the jobs that need it.', max: 255 })),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'once',
  operations: ['runs.rerun', 'runs.rerunFailed', 'runs.rerunJob', 'runs.get', 'runs.list', 'runs.listJobs'],
  needs: ['runs.rerun'],
  branches: async ({ run }, context) => [await branchOf(await meantRun(run, doing, context), context)],
  check: ({ failed, job }) => refuseBoth({ failed, job }),
  async plan({ run, ...which }, context) {
    return [await planned(await meantRun(run, doing, context), which, context)];
  },
  async run({ run, ...which }, context) {
    refuseBoth(which);
    return rerun(await meantRun(run, doing, context), which, context);
  },
  findDone: async ({ run }, context, sent) => rerunSince(await meantRun(run, doing, context), context, sent),
  reply(found, { run: at, failed, job }, { now }) {
    const what = job === undefined ? (failed ? md`Rerunning failed jobs:` : md`Rerunning:`) : md`Rerunning job ${job}:`;
    const buttons = [cancelButton(found, at), showButton(found, at), pageButton(found)];
    return message({ blocks: runBlocks(found, at, { now, says: what, buttons }) });
  },
});

function refuseBoth({ failed, job }: { readonly failed?: unknown; readonly job?: unknown }): void {
  if (failed === true && job !== undefined)
    throw new UserError('Choose either the failed jobs or one job, not both.', { field: 'job' });
}
