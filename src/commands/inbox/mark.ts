import { command } from '../../chat/command.js';
import { hidden } from '../../chat/fields/hidden.js';
import { choice } from '../../chat/fields/index.js';
import { offset } from '../../chat/fields/offset.js';
import { shelves, sightOperations } from '../../domain/inbox/list.js';
import { markedMessage, markThread, planMark } from '../../domain/inbox/mark.js';
import { thread } from './thread.js';

export const inboxMark = command({
  name: 'inbox mark',
  title: 'Mark notification',
  summary: 'Mark a notification as done or unread, or pin it',
  examples: ['inbox mark acme/engine#12 read', 'inbox mark #12 pinned'],
  fields: {
    thread: thread(),
    as: choice(['read', 'unread', 'pinned'], { label: 'Mark as', labels: { read: 'Done' } }),
    show: hidden(choice(shelves, { label: 'Show' })),
    from: offset(),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: ['notifications.markThread', 'notifications.getThread', 'notifications.list', ...sightOperations],
  plan: planMark,
  run: markThread,
  reply: markedMessage,
});
