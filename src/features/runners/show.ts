import { command } from '../../chat/command.js';
import { request } from '../../chat/request.js';
import { message } from '../../view/message.js';
import { runner, runnerWithButtons } from './runner.js';

export const runnerShow = command({
  name: 'runner show',
  summary: 'Show a runner’s state and labels',
  examples: ['runner show 1', 'runner show builder-1'],
  fields: { runner: runner() },
  role: 'admin',
  risk: 'read',
  effect: 'read',
  operations: ['admin.getRunner', 'admin.listRunners'],
  needs: ['admin.getRunner'],
  plan: ({ runner }) => [request('admin.getRunner', { runner_id: runner })],
  run: ({ runner }, { api }) => api.admin.getRunner({ runner_id: runner }),
  reply: (found, _args, { now }) => message({ blocks: runnerWithButtons(found, { now }) }),
});
