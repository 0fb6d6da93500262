import { command } from '../../chat/command.js';
import { text } from '../../chat/fields/index.js';
import { request } from '../../chat/request.js';
import { findRunTask, observeTask, runTask, startedTaskMessage } from '../../domain/cron/run.js';

export const cronRun = command({
  name: 'cron run',
  summary: 'Run a scheduled task of the forge now',
  examples: ['cron run git_gc_repos'],
  fields: { task: text({ label: 'Task', hint: 'The name shown by “cron list”.', max: 100 }) },
  role: 'admin',
  risk: 'risky',
  effect: 'once',
  operations: ['admin.runCron', 'admin.listCron'],
  plan: ({ task }) => [request('admin.runCron', { task })],
  observe: observeTask,
  run: runTask,
  findDone: findRunTask,
  reply: startedTaskMessage,
});
