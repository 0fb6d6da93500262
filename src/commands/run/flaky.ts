import { command } from '../../chat/command.js';
import { repository } from '../../chat/fields/index.js';
import { request } from '../../chat/request.js';
import { flakyMessage, readFlaky } from '../../domain/runs/flaky.js';

export const runFlaky = command({
  name: 'run flaky',
  title: 'Find flaky jobs',
  summary: 'Find jobs that failed and passed on the same commit',
  examples: ['run flaky acme/engine'],
  fields: { repository: repository() },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['runs.list', 'runs.listJobs', 'runs.listAttemptJobs'],
  needs: ['runs.list'],
  plan: ({ repository }) => [request('runs.list', repository)],
  run: ({ repository }, context) => readFlaky(repository, context),
  reply: flakyMessage,
});
