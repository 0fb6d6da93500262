import { command } from '../../chat/command.js';
import { writtenRun } from '../../domain/runs/run-field.js';
import { planShow, readWithJobs, shownMessage } from '../../domain/runs/show.js';

export const runShow = command({
  name: 'run show',
  summary: 'Show a workflow run with its jobs',
  examples: ['run show acme/engine#123'],
  fields: { run: writtenRun() },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['runs.get', 'runs.list', 'runs.listJobs'],
  needs: ['runs.list'],
  plan: planShow,
  run: ({ run }, context) => readWithJobs(run, context),
  reply: shownMessage,
});
