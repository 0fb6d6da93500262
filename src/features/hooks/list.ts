import { formButton, turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { choice, flag, offset, readFrom, rows } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import { actions, context as quiet, section } from '../../view/blocks.js';
import { hookCard } from '../../view/cards/fleet.js';
import { message } from '../../view/message.js';
import { stretch } from '../../view/paging.js';
import { md } from '../../view/text.js';

export const hookList = command({
  name: 'hook list',
  summary: 'List webhooks of the whole forge',
  examples: ['hook list', 'hook list --kind all'],
  fields: {
    kind: flag(
      choice(['system', 'default', 'all'], {
        label: 'Kind',
        hint: 'System webhooks cover every repository; default webhooks are copied into new ones.',
      }),
    ),
    from: offset(),
  },
  role: 'admin',
  risk: 'read',
  effect: 'read',
  operations: ['admin.listHooks'],
  plan: ({ kind = 'all' }) => [request('admin.listHooks', { query: { type: kind } })],
  run: ({ kind = 'all', from }, { api }) =>
    readFrom(from ?? 0, (paging) => api.admin.listHooks({ query: { type: kind, ...paging } })),
  reply: (found, args, { now }) => {
    const add = actions(formButton({ text: 'Create webhook', command: 'hook create' }));
    if (found.items.length === 0)
      return message({ blocks: [section(md`No matching webhooks.`), quiet([found.note]), add] });
    const shown = stretch(
      found,
      rows,
      (hook) => hookCard(hook, { now, style: 'row' }),
      (from) => turnButton({ text: 'Show more', command: 'hook list', args: { ...args, from } }),
    );
    return message({ blocks: [...shown, add] });
  },
});
