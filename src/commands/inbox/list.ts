import type { Button, KnownBlock } from '@slack/types';
import { runButton, turnButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import type { NotificationThread } from '../../forge/schemas/notification.js';
import { actions, section } from '../../view/blocks.js';
import { notificationRow } from '../../view/cards/notification.js';
import { linkButton } from '../../view/elements.js';
import { type Message, message, say } from '../../view/message.js';
import { type Stretch, stretch } from '../../view/paging.js';
import { bold, md } from '../../view/text.js';
import { readFrom, rows } from '../offset.js';

export const shelves = ['new', 'read', 'all'] as const;
/** new: unread and pinned, what waits. */
export type Shelf = (typeof shelves)[number];

const statuses = { new: ['unread', 'pinned'], read: ['read'], all: ['unread', 'read', 'pinned'] } as const;

export const inboxQuery = (show: Shelf) => ({ 'status-types': [...statuses[show]] });

export const readInbox = (show: Shelf, from: number, { api }: Context): Promise<Stretch<NotificationThread>> =>
  readFrom(from, (paging) => api.notifications.list({ query: { ...inboxQuery(show), ...paging } }));

interface Place {
  readonly show: Shelf;
  readonly from: number;
}

/** What a person can do with one of them; the list takes the message's place again. */
function buttons({ id, unread, pinned, subject }: NotificationThread, { show, from }: Place): (Button | undefined)[] {
  const mark = (text: string, as: 'read' | 'unread' | 'pinned') =>
    turnButton({ text, command: 'inbox mark', args: { thread: { thread: id }, as, show, from } });
  return [
    unread || pinned ? mark('Mark read', 'read') : mark('Mark unread', 'unread'),
    pinned ? mark('Unpin', 'unread') : mark('Pin', 'pinned'),
    linkButton('Open', subject?.html_url),
  ];
}

function rowOf(thread: NotificationThread, place: Place, now: Date): (KnownBlock | undefined)[] {
  return [...notificationRow(thread, { now, style: 'row' }), actions(...buttons(thread, place))];
}

const empty: Readonly<Record<Shelf, string>> = {
  new: 'Nothing new: your inbox is empty.',
  read: 'Nothing read is kept.',
  all: 'There are no notifications.',
};

export function inboxMessage(found: Stretch<NotificationThread>, show: Shelf, now: Date): Message {
  const { from, items, total } = found;
  const other = show === 'new' ? 'all' : 'new';
  const turn = turnButton({
    text: show === 'new' ? 'Show read ones too' : 'Only new ones',
    command: 'inbox',
    args: { show: other },
  });
  if (items.length === 0) return say(md`${empty[show]}`, turn);
  const next = (at: number) => turnButton({ text: 'Show more', command: 'inbox', args: { show, from: at } });
  // What arrived after this list was read stays unread.
  const before = new Date(Math.max(...items.map(({ updated_at }) => updated_at.getTime())));
  const clear = runButton({
    text: 'Mark these and older read',
    command: 'inbox clear',
    args: { before: before.toISOString() },
  });
  const count = total === undefined ? md`Your inbox` : md`${bold(String(total))} in your inbox`;
  return message({
    blocks: [
      section(count),
      ...stretch(found, rows, (each) => rowOf(each, { show, from }, now), next),
      actions(from === 0 && items.some(({ unread }) => unread) ? clear : undefined, turn),
    ],
  });
}
