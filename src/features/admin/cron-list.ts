import { runButton, turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { offset, readFrom, rows } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import { section } from '../../view/blocks.js';
import { cronRow } from '../../view/cards/fleet.js';
import { message } from '../../view/message.js';
import { stretch } from '../../view/paging.js';
import { md } from '../../view/text.js';

export const cronList = command({
  name: 'cron list',
  summary: 'List scheduled tasks of the forge with their last and next run',
  examples: ['cron list'],
  fields: { from: offset() },
  role: 'admin',
  risk: 'read',
  effect: 'read',
  operations: ['admin.listCron'],
  plan: () => [request('admin.listCron', {})],
  run: ({ from }, { api }) => readFrom(from ?? 0, (query) => api.admin.listCron({ query })),
  reply: (found, _args, { now }) => {
    if (found.items.length === 0) return message({ blocks: [section(md`The forge has no scheduled tasks.`)] });
    return message({
      blocks: stretch(
        found,
        rows,
        (task) => {
          const start = runButton({ text: 'Run now', command: 'cron run', args: { task: task.name } });
          return cronRow(task, { now, buttons: [start] });
        },
        (from) => turnButton({ text: 'Show more', command: 'cron list', args: { from } }),
      ),
    });
  },
});
