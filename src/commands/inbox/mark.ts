import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { hidden } from '../../chat/fields/hidden.js';
import { choice } from '../../chat/fields/index.js';
import { offset } from '../../chat/fields/offset.js';
import { request } from '../../chat/request.js';
import { inboxMessage, readInbox, shelves } from '../../domain/inbox/list.js';
import { followNotification } from '../../feed/own-card.js';
import { threadMark } from '../../feed/sources/inbox.js';
import { sourceKey } from '../../feed/sources/source.js';
import { ifTold, soon } from '../../forge/possible.js';
import type { NotificationStatus, NotificationThread } from '../../forge/schemas/notification.js';
import { notificationRow } from '../../view/cards/notification.js';
import { type Message, message, say } from '../../view/message.js';
import { md } from '../../view/text.js';
import { thread, threadId } from './thread.js';

const statusOf = ({ pinned, unread }: NotificationThread): NotificationStatus =>
  pinned ? 'pinned' : unread ? 'unread' : 'read';

/** What people call it: the forge's read is done here. */
const shown: Readonly<Record<NotificationStatus, string>> = { read: 'done', unread: 'unread', pinned: 'pinned' };

const markRequest = (id: number, as: NotificationStatus) =>
  request('notifications.markThread', { id, query: { 'to-status': as } });

async function mark(id: number, as: NotificationStatus, context: Context): Promise<NotificationThread | undefined> {
  const { api } = context;
  const before = await ifTold(api.notifications.getThread({ id }));
  // A proxy may drop the body of the answer.
  const answered = await api.notifications.markThread({ id, query: { 'to-status': as } });
  const after = answered ?? (await soon(api.notifications.getThread({ id })));
  // marking moves the thread's time, and a moved time looks like news to the poller
  if (after) await context.store.marks.recordOwn(sourceKey({ kind: 'inbox', ...context.person }), [threadMark(after)]);
  if (after) await followOwn(after, context);
  if (before && after && statusOf(before) !== as) {
    const { unread, pinned } = after;
    const guard = { request: request('notifications.getThread', { id }), expect: { unread, pinned } };
    context.offerUndo({
      says: `The notification is ${shown[statusOf(before)]} again.`,
      request: markRequest(id, statusOf(before)),
      guard,
    });
  }
  return after;
}

/** Its card in the direct messages follows at once; where Slack is away the poller brings it. */
async function followOwn(after: NotificationThread, { store, slack, person, log }: Context): Promise<void> {
  try {
    await followNotification(store, { team: person.team, channel: await slack.directMessage(person.user) }, after);
  } catch (error) {
    log.warn({ reason: String(error) }, 'a card in the direct messages did not follow');
  }
}

function alone(marked: NotificationThread | undefined, as: NotificationStatus, now: Date): Message {
  if (!marked) return say(md`The notification is now ${shown[as]}.`);
  return message({
    blocks: notificationRow(marked, {
      now,
      style: 'card',
      says: as === 'pinned' ? md`Pinned:` : md`Marked as ${shown[as]}:`,
    }),
  });
}

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
  operations: ['notifications.markThread', 'notifications.getThread', 'notifications.list'],
  plan: async ({ thread, as }, context) => [markRequest(await threadId(thread, context), as)],
  async run({ thread, as, show, from = 0 }, context) {
    const marked = await mark(await threadId(thread, context), as, context);
    // From the list's own buttons the list comes back.
    return { marked, list: show && (await soon(readInbox(show, from, context))) };
  },
  reply: ({ marked, list }, { as, show = 'new' }, { now }) =>
    list ? inboxMessage(list, show, now) : alone(marked, as, now),
});
