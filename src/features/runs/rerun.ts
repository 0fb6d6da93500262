import { command } from '../../chat/command.js';
import { flag, text, toggle } from '../../chat/fields.js';
import { writtenRun } from './read.js';
import { findRerun, planRerun, refuseBoth, rerunBranch, rerunMessage, rerunWanted } from './restart.js';

export const runRerun = command({
  name: 'run rerun',
  title: 'Rerun workflow run',
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
  approval: { branches: rerunBranch },
  check: ({ failed, job }) => refuseBoth({ failed, job }),
  plan: planRerun,
  run: rerunWanted,
  findDone: findRerun,
  reply: rerunMessage,
});
