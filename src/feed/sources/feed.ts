import type { Page } from '../../forge/operation.js';
import type { Activity } from '../../forge/schemas/activity.js';
import { advance, byTime, fresh } from '../diff.js';
import type { Event } from '../event.js';
import type { FeedMark } from '../mark.js';
import { activityEvent } from './activity.js';
import { join, joinMs, mayBeHalf } from './join.js';
import { type PageRequest, pageCap, probeSize, type Steps } from './source.js';
import { type FeedRow, readWindow, rowsOf } from './window.js';

/** A repository's or user's feed: a small probe first, the overlap window only if something is new. */
export function* pollFeed(
  source: string,
  mark: FeedMark | undefined,
  { now, cap = pageCap }: { readonly now: number; readonly cap?: number },
): Steps<PageRequest, Activity> {
  // a second look reads the window whatever a probe says
  const probe = mark?.held || mark?.again ? undefined : yield { page: 1, limit: probeSize };
  if (mark && probe && !hasNews(mark, probe)) return { events: [], mark, soon: false, capped: false };
  const { rows, total = probe?.total, capped, whole } = yield* readWindow(mark, cap);
  const news = fresh(mark, rows);
  const held = heldBack(news, mark);
  const ready = held.length === 0 ? news : news.filter((row) => !held.includes(row));
  // a row may become visible shortly after its siblings, or be hidden behind them
  const again = mark !== undefined && (news.length > 0 || (!whole && !capped && !mark.again));
  const promised = mark?.total === undefined || total === undefined ? 0 : total - mark.total;
  return {
    events: join(ready.flatMap(({ activity }) => activityEvent(source, activity) ?? [])),
    mark: advance(mark, rows, { now, again, growing: true, total, held }),
    soon: held.length > 0 || again,
    capped: capped && mark !== undefined,
    ...(capped && mark && { leftOut: Math.max(0, promised - news.length) }),
  };
}

/** Rows of one second come in any order, so a page within one second hides what is behind it. */
function hasNews(mark: FeedMark, probe: Page<Activity>): boolean {
  if (probe.total !== undefined && mark.total !== undefined && probe.total !== mark.total) return true;
  const rows = rowsOf(probe);
  if (fresh(mark, rows).length > 0) return true;
  const last = rows.at(-1);
  return probe.hasMore && last !== undefined && last.at >= mark.time;
}

/**
 * The newest half-pairs wait for one more poll: a push that belongs to a merge, a review's comments. Everything after them
 * waits too, so that the order is kept.
 */
function heldBack(news: readonly FeedRow[], mark: FeedMark | undefined): FeedRow[] {
  const before = new Set(mark?.held);
  const released = news.reduce((last, row) => (before.has(row.id) ? Math.max(last, row.at + joinMs) : last), 0);
  const end = news.at(-1)?.at ?? 0;
  const first = news.findIndex((row) => row.at > released && row.at > end - joinMs && mayBeHalf(row.activity.op_type));
  return first === -1 ? [] : news.slice(first);
}

/** A part of a feed for previews: every row becomes an event, nothing is stored. */
export function replay(source: string, rows: readonly Activity[]): readonly Event[] {
  const sorted = rowsOf({ items: rows, total: undefined, hasMore: false }).sort(byTime);
  return join(sorted.flatMap(({ activity }) => activityEvent(source, activity) ?? []));
}
