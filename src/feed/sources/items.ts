import { teamPath } from '../../config/file.js';
import type { Page } from '../../forge/operation.js';
import type { Issue, TimelineEntry } from '../../forge/schemas.js';
import type { Event, RepoRef } from '../event.js';
import { matches } from '../glob.js';
import { actorOf, itemThread } from '../item.js';
import { advance, byTime, type FeedMark, floorOf, type Row, rewound } from '../mark.js';
import { type ChangedPull, type Polled, pageSize } from './source.js';

/** Open items of one owner; `labels` are exact names, matching any. */
export interface ItemsRequest {
  readonly page: number;
  readonly limit: number;
  readonly since?: string;
  readonly labels?: readonly string[];
  readonly type?: 'pulls';
}

type ItemRow = Row & { readonly issue: Issue };
type ItemSteps<T> = Generator<ItemsRequest, T, Page<Issue>>;

/** Deep enough to learn which items have a label today; an older item may be announced once. */
const learnPages = 40;

/** What feeds lack: a label was added, a draft became ready, a review was requested. `labels` may be globs. */
export function* pollItems(
  source: string,
  labels: readonly string[],
  before: FeedMark | undefined,
  forgeNow?: number,
  /** The present time, if review requests are wanted. */
  requestsAt?: number,
): ItemSteps<Polled> {
  const mark = rewound(before, forgeNow);
  const found = mark ? yield* stepsByUpdate(mark) : [];
  const { changed, rows, isCut } = changedPulls(mark, requestsAt, found);
  const labeled: Record<string, readonly string[]> = { ...mark?.memory?.labeled };
  const drafts = new Set(mark?.memory?.drafts);
  const old = mark?.memory?.labels ?? [];
  // a label may be added in the second in which its item was seen without it: the known labels decide, not the time
  const within = rows.filter(({ at }) => at >= floorOf(mark)).sort(byTime);
  const events = within.flatMap(({ issue, at }) => {
    const news = newsOf(source, issue, at, old, labeled, drafts);
    note(issue, old, labeled, drafts);
    return news;
  });
  const learned = yield* learn(
    labels.filter((label) => !old.includes(label)),
    mark === undefined,
    labeled,
    drafts,
  );
  const memory = {
    labels: [...labels],
    labeled: last(labeled),
    drafts: [...drafts].slice(-2_000),
    ...(requestsAt !== undefined && {
      requests: { from: mark?.memory?.requests?.from ?? requestsAt, at: requestsAt },
    }),
  };
  return {
    events,
    mark: advance(mark, [...rows, ...learned], { memory, latest: forgeNow }),
    soon: isCut,
    capped: false,
    ...(changed.length > 0 && { changed }),
  };
}

/** Each costs a request; the others follow in the next poll. */
const mostChanged = 50;
/** Times are whole seconds: more may happen in the second in which it was seen. */
const settledMs = 2_000;

/** Pull requests whose review requests are not read yet, and the rows up to the last of them. */
function changedPulls(mark: FeedMark | undefined, requestsAt: number | undefined, rows: readonly ItemRow[]) {
  const known = requestsAt === undefined ? undefined : mark?.memory?.requests;
  if (!mark || !known) return { changed: [], rows, isCut: false };
  const before = new Map<string, number>();
  for (const [id, at] of Object.entries(mark.seen)) {
    const [issue = '', updated] = id.split('@');
    if (updated !== undefined) before.set(issue, Math.max(at, before.get(issue) ?? 0));
  }
  const seconds = Math.floor(known.from / 1_000) * 1_000;
  const pending = rows
    .filter(({ issue, at }) => issue.pull_request !== undefined && at >= floorOf(mark))
    .filter(({ issue, at }) => before.get(String(issue.id)) !== at || at >= known.at - settledMs)
    .sort(byTime);
  const end = pending.length > mostChanged ? pending[mostChanged - 1]?.at : undefined;
  const isBefore = ({ at }: Row) => end === undefined || at <= end;
  const changed = pending.filter(isBefore).map(
    ({ issue }): ChangedPull => ({
      issue,
      since: Math.max(seconds, before.get(String(issue.id)) ?? floorOf(mark)),
    }),
  );
  return { changed, rows: rows.filter(isBefore), isCut: end !== undefined };
}

const requestId = (entry: TimelineEntry): string => `request.${entry.id}`;

const isRequest = ({ type }: TimelineEntry): boolean => type === 'review_request';

/** One event for all that one person requested; what was withdrawn since only updates the card. */
export function requestEvents(source: string, issue: Issue, timeline: readonly TimelineEntry[]): Event[] {
  const { repository } = issue;
  if (!repository) return [];
  const last = new Map<string, TimelineEntry>();
  for (const entry of timeline.filter(isRequest))
    last.set(`${entry.assignee?.login} ${entry.assignee_team?.id}`, entry);
  const isQuiet = ({ user, assignee, removed_assignee }: TimelineEntry) =>
    removed_assignee || (user !== undefined && user.id === assignee?.id);
  const news = [...last.values()].filter((entry) => !isQuiet(entry));
  const all = news.length > 0 ? news : [...last.values()];
  return [...new Set(all.map(({ user }) => user?.id))].flatMap((asker): Event[] => {
    const asked = all.filter(({ user }) => user?.id === asker);
    const [first] = asked;
    if (!first) return [];
    return [
      {
        v: 1,
        source,
        id: `${source}:${requestId(first)}`,
        at: (first.created_at ?? issue.updated_at ?? new Date(0)).toISOString(),
        kind: 'reviews:requested',
        repo: repoOf(issue, repository),
        actor: actorOf(first.user),
        item: {
          ...itemOf(issue, repository.id),
          ...(issue.created_at && { openedAt: issue.created_at.toISOString() }),
        },
        asked: {
          people: asked.flatMap(({ assignee }) => assignee?.login ?? []),
          teams: asked.flatMap(({ assignee_team: team }) => (team ? [teamPath(team, repository.full_name)] : [])),
        },
        ...(news.length === 0 && { quiet: true as const }),
      },
    ];
  });
}

/** The news in a pull request's timeline, and the mark that remembers it. */
export function addRequests(
  { mark, events, ...polled }: Polled,
  source: string,
  { issue, since }: ChangedPull,
  timeline: readonly TimelineEntry[],
): Polled {
  const entries = timeline.filter(
    (entry) =>
      isRequest(entry) && (entry.created_at?.getTime() ?? 0) >= since && !Object.hasOwn(mark.seen, requestId(entry)),
  );
  const seen = Object.fromEntries(entries.map((entry) => [requestId(entry), entry.created_at?.getTime() ?? since]));
  return {
    ...polled,
    events: [...events, ...requestEvents(source, issue, entries)],
    mark: { ...mark, seen: { ...mark.seen, ...seen } },
  };
}

function* stepsByUpdate(mark: FeedMark): ItemSteps<ItemRow[]> {
  const rows: ItemRow[] = [];
  const since = mark.time > 0 ? { since: new Date(floorOf(mark)).toISOString() } : {};
  for (let page = 1; page <= learnPages; page++) {
    const answer = yield { page, limit: pageSize, ...since };
    rows.push(...answer.items.flatMap(rowOf));
    if (!answer.hasMore) break;
  }
  return rows;
}

/** Items that already have a newly wanted label are not news; the same goes for drafts at the first poll. */
function* learn(
  labels: readonly string[],
  first: boolean,
  labeled: Record<string, readonly string[]>,
  drafts: Set<string>,
): ItemSteps<ItemRow[]> {
  const rows: ItemRow[] = [];
  const exact = labels.every((label) => !/[*?[\]{}!(),]/.test(label));
  const lists: Omit<ItemsRequest, 'page' | 'limit'>[] = [];
  if (labels.length > 0) lists.push(exact ? { labels } : {});
  if (first) lists.push({ type: 'pulls' });
  for (const list of lists) {
    for (let page = 1; page <= learnPages; page++) {
      const answer = yield { page, limit: pageSize, ...list };
      rows.push(...answer.items.flatMap(rowOf));
      for (const issue of answer.items) note(issue, labels, labeled, drafts);
      if (!answer.hasMore) break;
    }
  }
  return rows;
}

const rowOf = (issue: Issue): ItemRow[] =>
  issue.updated_at ? [{ id: `${issue.id}@${issue.updated_at.getTime()}`, at: issue.updated_at.getTime(), issue }] : [];

const wantedOf = (issue: Issue, labels: readonly string[]): string[] =>
  issue.labels.map(({ name }) => name).filter((name) => labels.some((label) => matches(label, name)));

function note(
  issue: Issue,
  labels: readonly string[],
  labeled: Record<string, readonly string[]>,
  drafts: Set<string>,
): void {
  const id = String(issue.id);
  const wanted = wantedOf(issue, labels);
  if (wanted.length > 0) labeled[id] = [...new Set([...(labeled[id] ?? []), ...wanted])];
  if (issue.pull_request?.draft) drafts.add(id);
  else drafts.delete(id);
}

const last = (labeled: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(labeled).slice(-5_000));

function newsOf(
  source: string,
  issue: Issue,
  at: number,
  labels: readonly string[],
  labeled: Readonly<Record<string, readonly string[]>>,
  drafts: ReadonlySet<string>,
): Event[] {
  if (!issue.repository) return [];
  const id = String(issue.id);
  const common = {
    v: 1 as const,
    source,
    at: new Date(at).toISOString(),
    repo: repoOf(issue, issue.repository),
    actor: actorOf(issue.user),
    item: itemOf(issue, issue.repository.id),
  };
  const label = wantedOf(issue, labels).find((name) => !labeled[id]?.includes(name));
  const kind = issue.pull_request ? 'pulls:labeled' : 'issues:labeled';
  const ready = drafts.has(id) && issue.pull_request?.draft === false;
  return [
    ...(label === undefined ? [] : [{ ...common, id: `${source}:${id}.label.${label}`, kind, label } as const]),
    ...(ready ? [{ ...common, id: `${source}:${id}.ready.${at}`, kind: 'pulls:ready' } as const] : []),
  ];
}

/** A search does not say who may see the repository, so it counts as hidden until that is read. */
const repoOf = (issue: Issue, repo: NonNullable<Issue['repository']>): RepoRef => ({
  id: repo.id,
  fullName: repo.full_name,
  url: issue.html_url.replace(/\/(?:issues|pulls)\/\d+.*$/, ''),
  hidden: true,
});

const itemOf = (issue: Issue, repo: number) => ({
  kind: issue.pull_request ? ('pull' as const) : ('issue' as const),
  number: issue.number,
  title: issue.title,
  url: issue.html_url,
  thread: itemThread(repo, issue.number),
});
