import { z } from 'zod';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { askingField, choice, hidden, issue, type Needed, offset } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import { reasonOf } from '../../errors.js';
import { followNotification } from '../../feed/own-card.js';
import { threadMark } from '../../feed/sources/inbox.js';
import { sourceKey } from '../../feed/sources/source.js';
import { ifAnswered, soon } from '../../forge/possible.js';
import type { NotificationStatus, NotificationThread } from '../../forge/schemas.js';
import { notificationRow } from '../../view/cards/notification.js';
import { type Message, message, say } from '../../view/message.js';
import { md } from '../../view/text.js';
import {
  inboxMessage,
  type MeantThread,
  readInbox,
  type Shelf,
  shelves,
  sightOperations,
  threadId,
  withoutLost,
} from './inbox.js';

interface MarkWish {
  readonly thread: MeantThread;
  readonly as: NotificationStatus;
  readonly show?: Shelf | undefined;
  readonly from?: number | undefined;
}

const statusOf = ({ pinned, unread }: NotificationThread): NotificationStatus =>
  pinned ? 'pinned' : unread ? 'unread' : 'read';

/** The wording for people: the forge's "read" is "done" here. */
const shown: Readonly<Record<NotificationStatus, string>> = { read: 'done', unread: 'unread', pinned: 'pinned' };

const markRequest = (id: number, as: NotificationStatus) =>
  request('notifications.markThread', { id, query: { 'to-status': as } });

async function mark(id: number, as: NotificationStatus, context: Context): Promise<NotificationThread | undefined> {
  const { api } = context;
  const before = await ifAnswered(api.notifications.getThread({ id }));
  // A proxy may drop the response body.
  const answered = await api.notifications.markThread({ id, query: { 'to-status': as } });
  const asOf = context.store.now();
  const after = answered ?? (await soon(api.notifications.getThread({ id })));
  // marking changes the thread's time, which looks like news to the poller
  if (after) await context.store.marks.recordOwn(sourceKey({ kind: 'inbox', ...context.person }), [threadMark(after)]);
  if (after) await followOwn(after, asOf, context);
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

/** Updates its card in the direct messages at once; if Slack is down, the poller does it later. */
async function followOwn(after: NotificationThread, asOf: number, { store, slack, person, log }: Context) {
  try {
    const place = { team: person.team, channel: await slack.directMessage(person.user) };
    await followNotification(store, place, after, asOf);
  } catch (error) {
    log.warn({ reason: reasonOf(error) }, 'a card in a direct message was not updated');
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

const planMark = async ({ thread, as }: MarkWish, context: Context) => [
  markRequest(await threadId(thread, context), as),
];

async function markThread({ thread, as, show, from = 0 }: MarkWish, context: Context) {
  const marked = await mark(await threadId(thread, context), as, context);
  // From the list's own buttons, the list is shown again.
  const list = show && (await soon(readInbox(show, from, context)));
  const [shown] = list || !marked ? [] : ((await soon(withoutLost([marked], context.api))) ?? []);
  return { marked: shown, list };
}

const markedMessage = (
  { marked, list }: Awaited<ReturnType<typeof markThread>>,
  { as, show = 'new' }: MarkWish,
  { now }: Context,
) => (list ? inboxMessage(list, show, now) : alone(marked, as, now));

const item = issue({ label: 'Notification' });

type Written =
  | { readonly thread: number }
  | { readonly owner?: string | undefined; readonly repo?: string | undefined; readonly index: number };

/** A notification by its id, or by its issue or pull request. */
function thread(): Needed<Written, MeantThread> {
  return askingField<Written, MeantThread>(
    {},
    {
      label: 'Notification',
      placeholder: 'owner/repo#12',
      input: { kind: 'text', max: 400 },
      schema: z.union([z.object({ thread: z.int().min(1) }), item.schema]),
      read: (text, reading) => (/^\s*\d{1,15}\s*$/.test(text) ? { thread: Number(text) } : item.read(text, reading)),
      show: (value) => ('thread' in value ? String(value.thread) : item.show(value)),
      resolve: (value, context) => ('thread' in value ? value : item.resolve(value, context)),
    },
  );
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
  operations: ['notifications.markThread', 'notifications.getThread', 'notifications.list', ...sightOperations],
  plan: planMark,
  run: markThread,
  reply: markedMessage,
});
