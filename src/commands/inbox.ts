import { command } from '../chat/command.js';
import { choice, optional } from '../chat/fields/index.js';
import { offset } from '../chat/fields/offset.js';
import { request } from '../chat/request.js';
import { inboxMessage, inboxQuery, readInbox, shelves, sightOperations } from '../domain/inbox/list.js';

export const inbox = command({
  name: 'inbox',
  title: 'Show inbox',
  aliases: ['notifications'],
  summary: 'List your notifications and mark them as done',
  examples: ['inbox', 'inbox all'],
  fields: {
    show: optional(choice(shelves, { label: 'Show', labels: { new: 'Unread and pinned', read: 'Done', all: 'All' } })),
    from: offset(),
  },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['notifications.list', ...sightOperations],
  needs: ['notifications.list'],
  plan: ({ show = 'new' }) => [request('notifications.list', { query: inboxQuery(show) })],
  run: ({ show = 'new', from = 0 }, context) => readInbox(show, from, context),
  reply: (found, { show = 'new' }, { now }) => inboxMessage(found, show, now),
});
