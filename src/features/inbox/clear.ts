import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { choice, duration, flag, hidden, repository, text, toggle } from '../../chat/fields.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { showDuration } from '../../duration.js';
import { UserError } from '../../errors.js';
import { soon } from '../../forge/possible.js';
import { doneCard } from '../../view/cards/outcome.js';
import { count } from '../../view/look.js';
import { message } from '../../view/message.js';
import { type Mrkdwn, md } from '../../view/text.js';
import { inboxMessage, readInbox, type Shelf, shelves, sightOperations } from './inbox.js';

interface Clearing {
  readonly repository?: RepositoryRef | undefined;
  readonly olderThan?: number | undefined;
  readonly all?: boolean | undefined;
  readonly before?: string | undefined;
  readonly show?: Shelf | undefined;
}

function queryOf({ olderThan, all, before }: Clearing, now: Date) {
  const until = olderThan === undefined ? before : new Date(now.getTime() - olderThan * 1000).toISOString();
  if (until !== undefined && Number.isNaN(Date.parse(until))) {
    throw new UserError('I can’t read that time. Use --older-than with a duration such as 7d.');
  }
  // The forge returns everything it was asked to mark, so notifications already read are left out.
  const kinds: ('unread' | 'pinned')[] = all ? ['unread', 'pinned'] : ['unread'];
  return {
    ...(until === undefined ? {} : { last_read_at: new Date(until) }),
    'status-types': kinds,
    'to-status': 'read' as const,
  };
}

const requestOf = ({ repository, ...wanted }: Clearing, now: Date) =>
  repository
    ? request('notifications.markRepo', { ...repository, query: queryOf(wanted, now) })
    : request('notifications.markAll', { query: queryOf(wanted, now) });

function says(marked: number | undefined, { repository, olderThan, all }: Clearing): Mrkdwn {
  const where = repository === undefined ? md`` : md` in ${fullName(repository)}`;
  const which = olderThan === undefined ? where : md`${where} older than ${showDuration(olderThan)}`;
  if (marked === 0) return md`No ${all ? 'unread or pinned' : 'unread'} notifications${which}.`;
  const many = marked === undefined ? 'Notifications' : count(marked, 'notification');
  return md`Marked ${many}${which} as done${all ? ', including pinned ones' : ''}.`;
}

const planClear = (args: Clearing, { now }: Context) => [requestOf(args, now)];

async function clearInbox({ repository, show, ...args }: Clearing, context: Context) {
  const { api, now } = context;
  const query = queryOf(args, now);
  const marked = repository
    ? await api.notifications.markRepo({ ...repository, query })
    : await api.notifications.markAll({ query });
  // From the list's own buttons, the list is shown again.
  return { marked, list: show && (await soon(readInbox(show, 0, context))) };
}

function clearedMessage(
  { marked, list }: Awaited<ReturnType<typeof clearInbox>>,
  { show = 'new', ...args }: Clearing,
  { now }: Context,
) {
  const said = says(marked?.length, args);
  return list ? inboxMessage(list, show, now, md`✅ ${said}`) : message({ blocks: doneCard({ says: said }) });
}

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
