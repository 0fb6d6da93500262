import { command } from '../../chat/command.js';
import { duration, flag, text, toggle } from '../../chat/fields/index.js';
import { request } from '../../chat/request.js';
import { showDuration } from '../../duration.js';
import { UserError } from '../../errors.js';
import { doneCard } from '../../view/cards/outcome.js';
import { count } from '../../view/look.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { hidden } from '../hidden.js';

interface Clearing {
  readonly olderThan?: number | undefined;
  readonly all?: boolean | undefined;
  readonly before?: string | undefined;
}

function queryOf({ olderThan, all, before }: Clearing, now: Date) {
  const until = olderThan === undefined ? before : new Date(now.getTime() - olderThan * 1000).toISOString();
  if (until !== undefined && Number.isNaN(Date.parse(until))) {
    throw new UserError('I can’t read that time. Use --older-than with a duration such as 7d.');
  }
  // The forge answers with all it was asked for, so what is read already is not asked for.
  const kinds: ('unread' | 'pinned')[] = all ? ['unread', 'pinned'] : ['unread'];
  return {
    ...(until === undefined ? {} : { last_read_at: new Date(until) }),
    'status-types': kinds,
    'to-status': 'read' as const,
  };
}

export const inboxClear = command({
  name: 'inbox clear',
  title: 'Mark all as done',
  summary: 'Mark your notifications as done',
  examples: ['inbox clear', 'inbox clear --older-than 7d', 'inbox clear --all'],
  fields: {
    olderThan: flag(duration({ label: 'Older than', hint: 'Such as 12h or 7d.' })),
    all: toggle({ label: 'Include pinned' }),
    before: hidden(text({ label: 'Before', max: 40 })),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: ['notifications.markAll'],
  plan: (args, { now }) => [request('notifications.markAll', { query: queryOf(args, now) })],
  run: (args, { api, now }) => api.notifications.markAll({ query: queryOf(args, now) }),
  reply(marked, { olderThan, all, before }) {
    const listed = before === undefined ? md`` : md` of that list and older`;
    const which = olderThan === undefined ? listed : md` older than ${showDuration(olderThan)}`;
    const kinds = all ? 'unread or pinned' : 'unread';
    if (marked?.length === 0) return message({ blocks: doneCard({ says: md`No ${kinds} notifications${which}.` }) });
    const many = marked === undefined ? 'Notifications' : count(marked.length, 'notification');
    const pinned = all ? 'pinned ones included' : 'pinned ones stay';
    return message({ blocks: doneCard({ says: md`${many}${which} marked read, ${pinned}.` }) });
  },
});
