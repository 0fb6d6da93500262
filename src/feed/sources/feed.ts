import type { Page } from '../../forge/operation.js';
import type { Activity } from '../../forge/schemas/activity.js';
import { advance, byTime, floorOf, fresh, type Mark, overlapMs, type Row } from '../diff.js';
import type { Event } from '../event.js';
import { activityEvent } from './activity.js';
import { join, joinMs, mayBeHalf } from './join.js';
import { type PageRequest, pageCap, pageSize, probeSize, type Steps } from './source.js';

type FeedRow = Row & { readonly activity: Activity };

const rowsOf = (page: Page<Activity>): FeedRow[] =>
  page.items.map((activity) => ({ id: String(activity.id), at: activity.created.getTime(), activity }));

/** A repository's or a user's feed: a small probe first, the overlap window only when something is new. */
export function* pollFeed(source: string, mark: Mark | undefined, cap = pageCap): Steps<PageRequest, Activity> {
  const probe = yield { page: 1, limit: probeSize };
  if (mark && !hasNews(mark, probe)) return { events: [], mark, soon: false, capped: false };
  const { rows, total, capped } = yield* readWindow(mark, cap);
  const news = fresh(mark, rows);
  const held = heldBack(news, mark);
  const told = held.length === 0 ? news : news.filter((row) => !held.includes(row));
  return {
    events: join(told.flatMap(({ activity }) => activityEvent(source, activity) ?? [])),
    mark: advance(mark, rows, { total, held }),
    soon: held.length > 0,
    capped: capped && mark !== undefined,
  };
}

/** Rows of one second come in any order, so a page inside one second hides what is behind it. */
function hasNews(mark: Mark, probe: Page<Activity>): boolean {
  if (mark.held) return true;
  if (probe.total !== undefined && mark.total !== undefined && probe.total !== mark.total) return true;
  const rows = rowsOf(probe);
  if (fresh(mark, rows).length > 0) return true;
  const last = rows.at(-1);
  return probe.hasMore && last !== undefined && last.at >= mark.time;
}

interface Window {
  readonly rows: FeedRow[];
  readonly total: number | undefined;
  readonly capped: boolean;
}

/** Pages down to the floor. Rows that vanish meanwhile shift the rest up and hide some: then it starts over. */
function* readWindow(mark: Mark | undefined, cap: number): Generator<PageRequest, Window, Page<Activity>> {
  const rows = new Map<string, FeedRow>();
  let restarts = 0;
  let total: number | undefined;
  for (let page = 1; page <= cap; page++) {
    const answer: Page<Activity> = yield { page, limit: pageSize };
    const shrunk = total !== undefined && answer.total !== undefined && answer.total < total;
    total = answer.total;
    const read = rowsOf(answer);
    for (const row of read) rows.set(row.id, row);
    if (shrunk && restarts < 3) {
      restarts += 1;
      page = 0;
      continue;
    }
    const oldest = read.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
    const floor = mark ? floorOf(mark) : newest(rows) - overlapMs;
    if (!answer.hasMore || oldest < floor) return { rows: [...rows.values()], total, capped: false };
  }
  return { rows: [...rows.values()], total, capped: true };
}

const newest = (rows: ReadonlyMap<string, Row>): number =>
  [...rows.values()].reduce((most, { at }) => Math.max(most, at), 0);

/**
 * The newest moment's halves wait for one more poll: a push that belongs to a merge, a review's comments. All that
 * follows them waits too, so that the order stays.
 */
function heldBack(news: readonly FeedRow[], mark: Mark | undefined): FeedRow[] {
  const before = new Set(mark?.held);
  const released = news.reduce((last, row) => (before.has(row.id) ? Math.max(last, row.at + joinMs) : last), 0);
  const end = news.at(-1)?.at ?? 0;
  const first = news.findIndex((row) => row.at > released && row.at > end - joinMs && mayBeHalf(row.activity.op_type));
  return first === -1 ? [] : news.slice(first);
}

/** A stretch of feed for rehearsals: every row is told, nothing is kept. */
export function replay(source: string, rows: readonly Activity[]): readonly Event[] {
  const sorted = rowsOf({ items: rows, total: undefined, hasMore: false }).sort(byTime);
  return join(sorted.flatMap(({ activity }) => activityEvent(source, activity) ?? []));
}
