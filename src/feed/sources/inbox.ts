import { isHidden } from '../../forge/hidden.js';
import type { Page } from '../../forge/operation.js';
import type { Issue } from '../../forge/schemas/issue.js';
import type { NotificationThread } from '../../forge/schemas/notification.js';
import { advance, type FeedMark, floorOf, fresh, overlapMs, type Row, rewound } from '../diff.js';
import type { EventOf, Item, Kind } from '../event.js';
import { itemThread } from '../item.js';
import { type Polled, pageCap, pageSize } from './source.js';

export const reasons = ['review_requested', 'assigned', 'mentioned'] as const;
export type Reason = (typeof reasons)[number];
export type InboxKind = Extract<Kind, `inbox:${string}`>;

/** A page of the person's unread threads, or one of the searches that tell why a thread moved. */
export type InboxRequest =
  | { readonly want: 'threads'; readonly page: number; readonly limit: number; readonly since?: string }
  | { readonly want: Reason; readonly page: number; readonly limit: number; readonly since?: string };

type ThreadRow = Row & { readonly thread: NotificationThread };
type Answer = Page<NotificationThread | Issue>;
export type InboxSteps<T> = Generator<InboxRequest, T, Answer>;

const momentOf = ({ id, updated_at }: NotificationThread): string => `${id}@${updated_at.getTime()}`;

/** The thread's id stays while its time moves; times are whole seconds, so the comment it points at counts too. */
const moveOf = (thread: NotificationThread): string =>
  `${momentOf(thread)}.${/\d+$/.exec(thread.subject?.latest_comment_url ?? '')?.[0] ?? ''}`;

/** Its item's state changes by its reader's own deed, which moves nothing. */
export const threadMark = (thread: NotificationThread): string => `${moveOf(thread)}~${thread.subject?.state ?? ''}`;

/** A thread may be read in the second it moved; read by our own command, its card follows all the same. */
const rowId = (thread: NotificationThread): string =>
  thread.unread ? threadMark(thread) : `${threadMark(thread)}-read`;

/** A forge's clock set back brings nothing again that was there before. */
const rememberMs = 86_400_000;

export const isThread = (row: NotificationThread | Issue): row is NotificationThread => 'unread' in row;

/** A person's notifications; why each came is looked up only when there is one. */
export function* pollInbox(
  source: string,
  before: FeedMark | undefined,
  { cap = pageCap, forgeNow }: { readonly cap?: number; readonly forgeNow?: number | undefined } = {},
): InboxSteps<Polled> {
  const mark = rewound(before, forgeNow);
  const rows: ThreadRow[] = [];
  let capped = true;
  for (let page = 1; page <= cap; page++) {
    const answer = yield { want: 'threads', page, limit: pageSize, ...sinceOf(mark) };
    rows.push(...rowsOf(answer));
    if (answer.hasMore) continue;
    capped = false;
    break;
  }
  // an earlier version knew a thread by its second alone
  const known = ({ thread }: ThreadRow) =>
    Object.hasOwn(mark?.seen ?? {}, `${momentOf(thread)}${thread.unread ? '' : '-read'}`);
  const moved = fresh(mark, rows).filter((row) => !row.thread.pinned && !known(row));
  const moves = new Set(Object.keys(mark?.seen ?? {}).map((id) => id.split('~')[0]));
  const news = moved.filter(({ thread }) => thread.unread && !moves.has(moveOf(thread)));
  const lookBack = mark && forgeNow !== undefined && forgeNow - (mark.memory?.lookedBack ?? 0) >= overlapMs;
  const turned = lookBack ? (yield* unreadNow()).filter((row) => isTurned(mark, row)) : [];
  const why = news.length > 0 ? yield* lookUp(news) : new Map<string, Reason>();
  const events = [...moved, ...turned].flatMap((row) => threadEvent(source, row, why, news.includes(row)) ?? []);
  return {
    events,
    mark: advance(mark, [...rows, ...turned], {
      latest: forgeNow,
      rememberMs,
      memory: lookBack ? { lookedBack: forgeNow } : mark?.memory,
    }),
    soon: false,
    capped: capped && mark !== undefined,
  };
}

const rowsOf = ({ items }: Answer): ThreadRow[] =>
  items.filter(isThread).map((thread) => ({ id: rowId(thread), at: thread.updated_at.getTime(), thread }));

/** However long ago they moved. */
function* unreadNow(): InboxSteps<ThreadRow[]> {
  return rowsOf(yield { want: 'threads', page: 1, limit: pageSize });
}

/** It did not move since, but its item is in another state: by a deed of its reader's own, of which nobody is notified. */
const isTurned = (mark: FeedMark, { id, at, thread }: ThreadRow): boolean =>
  at < floorOf(mark) &&
  !Object.hasOwn(mark.seen, id) &&
  Object.keys(mark.seen).some((known) => known.startsWith(`${moveOf(thread)}~`));

const sinceOf = (mark: FeedMark | undefined) =>
  mark && mark.time > 0 ? { since: new Date(floorOf(mark)).toISOString() } : {};

function* lookUp(news: readonly ThreadRow[]): InboxSteps<Map<string, Reason>> {
  const oldest = news.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
  const since = new Date(oldest - 60_000).toISOString();
  const found = new Map<string, Reason>();
  for (const want of reasons) {
    const { items } = yield { want, page: 1, limit: pageSize, since };
    for (const item of items) if (!isThread(item) && !found.has(item.html_url)) found.set(item.html_url, want);
  }
  return found;
}

/** Access was revoked where repository or subject is missing: nothing of it is told. */
function threadEvent(
  source: string,
  { id, thread }: ThreadRow,
  why: ReadonlyMap<string, Reason>,
  isNews: boolean,
): EventOf<InboxKind> | undefined {
  const { repository, subject } = thread;
  if (!repository || !subject) return undefined;
  const reason = why.get(subject.html_url);
  return {
    v: 1,
    id: `${source}:${id}`,
    source,
    at: thread.updated_at.toISOString(),
    kind: `inbox:${reason ?? 'activity'}`,
    repo: { id: repository.id, fullName: repository.full_name, url: repository.html_url, hidden: isHidden(repository) },
    actor: null,
    item: subjectItem(repository.id, subject),
    threadId: thread.id,
    state: subject.state,
    ...(!thread.unread && { read: true as const }),
    ...(thread.unread && !isNews && { quiet: true as const }),
    ...(subject.latest_comment_html_url && { commentUrl: subject.latest_comment_html_url }),
  };
}

const subjectKinds: Readonly<Record<string, Item['kind']>> = {
  Issue: 'issue',
  Pull: 'pull',
  Commit: 'commit',
  Repository: 'repo',
};

/** What a notification is about; undefined where its reader lost access. */
export const subjectOf = ({ repository, subject }: NotificationThread): Item | undefined =>
  repository && subject && subjectItem(repository.id, subject);

function subjectItem(
  repo: number,
  subject: { readonly type: string; readonly title: string; readonly html_url: string },
): Item {
  const kind = subjectKinds[subject.type] ?? 'repo';
  const number = Number(/\/(?:issues|pulls)\/(\d+)/.exec(subject.html_url)?.[1]);
  const numbered = (kind === 'issue' || kind === 'pull') && Number.isSafeInteger(number);
  return {
    kind,
    title: subject.title,
    url: subject.html_url,
    ...(numbered && { number, thread: itemThread(repo, number) }),
  };
}
