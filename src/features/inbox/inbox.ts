import type { KnownBlock } from '@slack/types';
import pMap from 'p-map';
import { actionNames, fitsMenu, type MenuEntry, moreMenu, openEntry, turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { choice, offset, optional, readFrom, rows } from '../../chat/fields.js';
import { fullName, type ItemRef, refOf } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import type { Unit } from '../../feed/event.js';
import { type Api, isHidden } from '../../forge/index.js';
import { unlessUnseen } from '../../forge/possible.js';
import type { NotificationThread } from '../../forge/schemas.js';
import { splitFullName } from '../../full-name.js';
import { actions, section } from '../../view/blocks.js';
import { notificationLine } from '../../view/cards/notification.js';
import { choiceMenu } from '../../view/form.js';
import { type Message, message, say } from '../../view/message.js';
import { type Stretch, stretch } from '../../view/paging.js';
import { bold, type Mrkdwn, md } from '../../view/text.js';
import { readsUnit } from '../repos/lookup.js';

export const shelves = ['new', 'read', 'all'] as const;
/** new: unread and pinned. */
export type Shelf = (typeof shelves)[number];

const statuses = { new: ['unread', 'pinned'], read: ['read'], all: ['unread', 'read', 'pinned'] } as const;

const inboxQuery = (show: Shelf) => ({ 'status-types': [...statuses[show]] });

/** What asking for sight may send. */
export const sightOperations = ['issues.list', 'pulls.list', 'repos.listBranches', 'repos.get'] as const;

const unitOf: ReadonlyMap<string, Unit> = new Map([
  ['Issue', 'issues'],
  ['Pull', 'pulls'],
  ['Commit', 'code'],
]);

/** Some servers still describe an item after its reader lost access: the reader's own account decides, and doubt hides it. */
export async function withoutLost(threads: readonly NotificationThread[], api: Api): Promise<NotificationThread[]> {
  const known = new Map<string, Promise<boolean>>();
  const sees = ({ repository, subject }: NotificationThread): Promise<boolean> => {
    if (!repository || !subject) return Promise.resolve(false);
    if (!isHidden(repository)) return Promise.resolve(true);
    const at = splitFullName(repository.full_name);
    const unit = unitOf.get(subject.type);
    const key = `${repository.full_name} ${unit}`;
    const read = async () => (unit ? readsUnit(api, at, unit) : Boolean(await unlessUnseen(api.repos.get(at))));
    const asked = known.get(key) ?? read();
    known.set(key, asked);
    return asked;
  };
  return pMap(
    threads,
    async (thread) => ((await sees(thread)) ? thread : { ...thread, repository: undefined, subject: undefined }),
    { concurrency: 4 },
  );
}

export const isLost = ({ subject }: NotificationThread): boolean => !subject;

/** Undefined if there are none. */
export function lostNote(threads: readonly NotificationThread[]): string | undefined {
  const lost = threads.filter(isLost).length;
  if (lost === 0) return undefined;
  return lost === 1 ? '1 in a repository you can no longer see' : `${lost} in repositories you can no longer see`;
}

export async function readInbox(show: Shelf, from: number, { api }: Context): Promise<Stretch<NotificationThread>> {
  const found = await readFrom(from, (paging) => api.notifications.list({ query: { ...inboxQuery(show), ...paging } }));
  const items = await withoutLost(found.items, api);
  return { ...found, items, note: [found.note, lostNote(items)].filter(Boolean).join(' · ') || undefined };
}

interface Place {
  readonly show: Shelf;
  readonly from: number;
}

/** The actions for one notification; the list replaces the message again. */
function menuOf({ id, unread, pinned, subject }: NotificationThread, { show, from }: Place) {
  const mark = (text: string, as: 'read' | 'unread' | 'pinned'): MenuEntry => ({
    text,
    command: 'inbox mark',
    args: { thread: { thread: id }, as, show, ...(from > 0 && { from }) },
    turn: true,
  });
  return moreMenu([
    unread || pinned ? mark('Mark as done', 'read') : mark('Mark as unread', 'unread'),
    pinned ? mark('Unpin', 'unread') : mark('Pin', 'pinned'),
    openEntry(subject?.latest_comment_html_url || subject?.html_url),
  ]);
}

const rowOf = (thread: NotificationThread, place: Place, now: Date): KnownBlock[] =>
  isLost(thread) ? [] : [section(notificationLine(thread, { now }), menuOf(thread, place))];

const empty: Readonly<Record<Shelf, string>> = {
  new: '🎉 No unread notifications.',
  read: 'No notifications marked as done.',
  all: 'No notifications yet.',
};

/** What arrived after this list was read stays unread. */
const readUntil = (items: readonly NotificationThread[]): string =>
  new Date(Math.max(...items.map(({ updated_at }) => updated_at.getTime()))).toISOString().replace('.000', '');

function bulk(items: readonly NotificationThread[], show: Shelf) {
  const before = readUntil(items);
  const unread = items.filter((each) => each.unread);
  if (unread.length === 0) return [];
  const names = [...new Set(unread.flatMap(({ repository }) => repository?.full_name ?? []))].sort();
  const choices = names.flatMap((label) => {
    const value = fitsMenu({
      text: label,
      command: 'inbox clear',
      args: { repository: splitFullName(label), before, show },
      turn: true,
    });
    return value === undefined ? [] : [{ value, label }];
  });
  const all = turnButton({ text: 'Mark all as done', command: 'inbox clear', args: { before, show } });
  const action = actionNames.pick;
  return [all, choiceMenu({ action, placeholder: 'Mark a repository as done', choices })];
}

/** One line and one menu per row, with the actions for all on top. */
export function inboxMessage(found: Stretch<NotificationThread>, show: Shelf, now: Date, says?: Mrkdwn): Message {
  const { from, items, total } = found;
  const other = show === 'new' ? 'all' : 'new';
  const turn = turnButton({
    text: show === 'new' ? 'Show done ones too' : 'Show unread only',
    command: 'inbox',
    args: { show: other },
  });
  const said = says && section(says);
  if (items.length === 0 && !said) return say(md`${empty[show]}`, turn);
  if (items.length === 0) return message({ blocks: [said, section(md`${empty[show]}`), actions(turn)] });
  const next = (at: number) => turnButton({ text: 'Show more', command: 'inbox', args: { show, from: at } });
  const number = total ?? items.length;
  const head = md`${bold(String(number))} ${number === 1 ? 'notification' : 'notifications'}`;
  return message({
    blocks: [
      said,
      section(head),
      actions(...bulk(items, show), turn),
      ...stretch(found, rows, (each) => rowOf(each, { show, from }, now), next),
    ],
  });
}

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

export type MeantThread = { readonly thread: number } | ItemRef;

const mostRead = 500;

function isAbout({ repository, subject }: NotificationThread, ref: ItemRef): boolean {
  if (repository?.full_name.toLowerCase() !== fullName(ref).toLowerCase()) return false;
  return [subject?.html_url, subject?.url].some(
    (url) => Number(/\/(?:issues|pulls)\/(\d+)$/.exec(url ?? '')?.[1]) === ref.index,
  );
}

export async function threadId(meant: MeantThread, { api }: Context): Promise<number> {
  if ('thread' in meant) return meant.thread;
  for await (const each of api.notifications.list.each({ query: { all: true } }, { max: mostRead })) {
    if (isAbout(each, meant)) return each.id;
  }
  throw new UserError(`You have no notification about ${refOf(meant)} among your latest ${mostRead}.`);
}
