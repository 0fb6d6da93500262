import { isHidden } from '../../forge/hidden.js';
import type { Page } from '../../forge/operation.js';
import type { Issue, NotificationThread } from '../../forge/schemas.js';
import type { EventOf, Item, Kind } from '../event.js';
import { itemThread } from '../item.js';
import { advance, type FeedMark, floorOf, fresh, type Row, rewound } from '../mark.js';
import { type Polled, pageCap, pageSize } from './source.js';

const subjectKinds: Readonly<Record<string, Item['kind']>> = {
  Issue: 'issue',
  Pull: 'pull',
  Commit: 'commit',
  Repository: 'repo',
};

/** What a notification is about; undefined if its reader lost access. */
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

const reasons = ['review_requested', 'assigned', 'mentioned'] as const;
type Reason = (typeof reasons)[number];
type InboxKind = Extract<Kind, `inbox:${string}`>;

/** A page of the person's unread threads, or one of the searches that say why a thread was updated. */
export type InboxRequest =
  | { readonly want: 'threads'; readonly page: number; readonly limit: number; readonly since?: string }
  | { readonly want: Reason; readonly page: number; readonly limit: number; readonly since?: string };

type ThreadRow = Row & { readonly thread: NotificationThread };
type Answer = Page<NotificationThread | Issue>;
type InboxSteps<T> = Generator<InboxRequest, T, Answer>;

const momentOf = ({ id, updated_at }: NotificationThread): string => `${id}@${updated_at.getTime()}`;

/** The thread's id stays while its time changes; times are whole seconds, so the latest comment counts too. */
const moveOf = (thread: NotificationThread): string =>
  `${momentOf(thread)}.${/\d+$/.exec(thread.subject?.latest_comment_url ?? '')?.[0] ?? ''}`;

/** The reader's own actions change the item's state but not the thread's time. */
export const threadMark = (thread: NotificationThread): string => `${moveOf(thread)}~${thread.subject?.state ?? ''}`;

/** A thread may be read in the second it was updated; if our own command read it, its card is still updated. */
const rowId = (thread: NotificationThread): string =>
  thread.unread ? threadMark(thread) : `${threadMark(thread)}-read`;

/** After the forge's clock was set back, nothing old is reported again. */
const rememberMs = 86_400_000;

const isThread = (row: NotificationThread | Issue): row is NotificationThread => 'unread' in row;

interface InboxOptions {
  readonly now: number;
  readonly forgeNow?: number | undefined;
  readonly cap?: number;
}

/** A person's notifications; the reason for each is looked up only if there are any. */
export function* pollInbox(
  source: string,
  before: FeedMark | undefined,
  { cap = pageCap, now, forgeNow }: InboxOptions,
): InboxSteps<Polled> {
  const mark = rewound(before, forgeNow);
  const rows: ThreadRow[] = [];
  let capped = true;
  for (let page = 1; page <= cap; page++) {
    const answer = yield { want: 'threads', page, limit: pageSize, ...sinceOf(mark) };
    for (const thread of answer.items.filter(isThread))
      rows.push({ id: rowId(thread), at: thread.updated_at.getTime(), thread });
    if (answer.hasMore) continue;
    capped = false;
    break;
  }
  // an earlier version identified a thread by its second alone
  const isKnown = ({ thread }: ThreadRow) =>
    Object.hasOwn(mark?.seen ?? {}, `${momentOf(thread)}${thread.unread ? '' : '-read'}`);
  const moved = fresh(mark, rows).filter((row) => !row.thread.pinned && !isKnown(row));
  const moves = new Set(Object.keys(mark?.seen ?? {}).map((id) => id.split('~')[0]));
  const news = moved.filter(({ thread }) => thread.unread && !moves.has(moveOf(thread)));
  const why = news.length > 0 ? yield* lookUp(news) : new Map<string, Reason>();
  const events = moved.flatMap((row) => threadEvent(source, row, { why, isNews: news.includes(row), asOf: now }) ?? []);
  return {
    events,
    mark: advance(mark, rows, { latest: forgeNow, rememberMs }),
    soon: false,
    capped: capped && mark !== undefined,
  };
}

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

interface Seen {
  readonly why: ReadonlyMap<string, Reason>;
  readonly isNews: boolean;
  readonly asOf: number;
}

/** If repository or subject is missing, access was revoked: nothing about it is posted. */
function threadEvent(
  source: string,
  { id, thread }: ThreadRow,
  { why, isNews, asOf }: Seen,
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
    ...(!thread.unread && { read: true as const, asOf }),
    ...(thread.unread && !isNews && { quiet: true as const }),
    ...(subject.latest_comment_html_url && { commentUrl: subject.latest_comment_html_url }),
  };
}

/** For servers without a notifications list: items that newly need something from the person. */
export function* pollSearches(source: string, mark: FeedMark | undefined): InboxSteps<Polled> {
  const known = new Set(mark?.memory?.found);
  const rows: Row[] = [];
  const events: EventOf<InboxKind>[] = [];
  for (const want of reasons) {
    const { items } = yield { want, page: 1, limit: pageSize };
    for (const item of items) {
      if (isThread(item) || !item.repository || !item.updated_at) continue;
      const id = `${want}:${item.id}`;
      rows.push({ id, at: item.updated_at.getTime() });
      if (mark && !known.has(id)) events.push(foundEvent(source, want, item, item.repository, item.updated_at));
      known.add(id);
    }
  }
  const found = [...known].slice(-2_000);
  return { events, mark: advance(mark, rows, { memory: { found } }), soon: false, capped: false };
}

function foundEvent(
  source: string,
  reason: Reason,
  issue: Issue,
  repo: NonNullable<Issue['repository']>,
  at: Date,
): EventOf<InboxKind> {
  const kind = issue.pull_request ? 'pull' : 'issue';
  return {
    v: 1,
    id: `${source}:${reason}.${issue.id}`,
    source,
    at: at.toISOString(),
    kind: `inbox:${reason}`,
    // a search does not say who may see the repository, so it counts as hidden
    repo: {
      id: repo.id,
      fullName: repo.full_name,
      url: issue.html_url.replace(/\/(?:issues|pulls)\/\d+.*$/, ''),
      hidden: true,
    },
    actor: null,
    item: {
      kind,
      number: issue.number,
      title: issue.title,
      url: issue.html_url,
      thread: itemThread(repo.id, issue.number),
    },
    state: issue.pull_request?.merged ? 'merged' : issue.state,
  };
}
