import { command, type Observation, type Sent } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { text } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import type { Api } from '../../forge/index.js';
import type { Cron } from '../../forge/schemas.js';
import { didYouMean, nearest } from '../../nearest.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { code, md } from '../../view/text.js';
import { age } from '../../view/when.js';

async function find(name: string, api: Api): Promise<Cron> {
  const names: string[] = [];
  for await (const task of api.admin.listCron.each({}, { max: 500 })) {
    if (task.name === name) return task;
    names.push(task.name);
  }
  throw new UserError(`Unknown scheduled task ${name}.${didYouMean(nearest(name, names))} See /forge cron list.`, {
    field: 'task',
  });
}

async function observeTask({ task }: { readonly task: string }, { api, now }: Context): Promise<Observation> {
  const found = await find(task, api);
  return {
    bound: { task: found.name },
    shown: [
      ['Schedule', found.schedule || 'none'],
      ['Last run', found.prev ? age(found.prev, now) : 'not yet'],
      ['Next run', found.next ? age(found.next, now) : 'not planned'],
      ['Runs so far', String(found.exec_times)],
    ],
    wants: { says: `start the scheduled task ${found.name} now` },
  };
}

async function runTask({ task }: { readonly task: string }, { api, remember }: Context) {
  const found = await find(task, api);
  remember(String(found.exec_times));
  await api.admin.runCron({ task: found.name });
  return found;
}

async function findRunTask({ task }: { readonly task: string }, { api }: Context, { note }: Sent) {
  if (note === undefined) return 'unknowable';
  const found = await find(task, api);
  return found.exec_times > Number(note) ? found : undefined;
}

const startedTaskMessage = ({ name }: Cron) =>
  message({ blocks: doneCard({ says: md`Started ${code(name)}. It runs in the background.` }) });

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
  approval: { observe: observeTask },
  run: runTask,
  findDone: findRunTask,
  reply: startedTaskMessage,
});
