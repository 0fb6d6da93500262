import { command } from '../../chat/command.js';
import { hidden } from '../../chat/fields/hidden.js';
import { choice, duration, flag, repository, text, toggle } from '../../chat/fields/index.js';
import { clearedMessage, clearInbox, planClear } from '../../domain/inbox/clear.js';
import { shelves, sightOperations } from '../../domain/inbox/list.js';

export const inboxClear = command({
  name: 'inbox clear',
  title: 'Mark all as done',
  summary: 'Mark your notifications as done',
  examples: ['inbox clear', 'inbox clear --repository acme/engine', 'inbox clear --older-than 7d', 'inbox clear --all'],
  fields: {
    repository: flag(repository({ hint: 'Leave empty for all repositories.' })),
    olderThan: flag(duration({ label: 'Older than', hint: 'Such as 12h or 7d.' })),
    all: toggle({ label: 'Include pinned' }),
    before: hidden(text({ label: 'Before', max: 40 })),
    show: hidden(choice(shelves, { label: 'Show' })),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: ['notifications.markAll', 'notifications.markRepo', 'notifications.list', ...sightOperations],
  plan: planClear,
  run: clearInbox,
  reply: clearedMessage,
});
