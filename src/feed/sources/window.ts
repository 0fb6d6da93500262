import type { Page } from '../../forge/operation.js';
import type { Activity } from '../../forge/schemas/activity.js';
import { floorOf, fresh, overlapMs, type Row } from '../diff.js';
import type { FeedMark } from '../mark.js';
import { type PageRequest, pageSize } from './source.js';

export type FeedRow = Row & { readonly activity: Activity };

export const rowsOf = (page: Page<Activity>): FeedRow[] =>
  page.items.map((activity) => ({ id: String(activity.id), at: activity.created.getTime(), activity }));

export interface Window {
  readonly rows: FeedRow[];
  readonly total: number | undefined;
  readonly capped: boolean;
  /** Every row above the floor is included. */
  readonly whole: boolean;
}

/** Different page sizes have different boundaries: a second split by one page size lies inside a page of another. */
const sizes = [pageSize, 43, 37, 47, 31];
const mostPasses = 12;
/** How far down to search for rows that the count implies but the window lacks. */
const deepPages = 40;

/**
 * Reads pages down to the floor, until every row above it is known by id. Rows of one second change order between requests,
 * but the first and last position of a second stay: the position of the first row below the floor says how many are above
 * it.
 */
export function* readWindow(mark: FeedMark | undefined, cap: number): Generator<PageRequest, Window, Page<Activity>> {
  const rows = new Map<string, FeedRow>();
  for (let pass = 0; ; pass++) {
    const { total, above, floor } = yield* readDown(mark, rows, cap, sizes[pass % sizes.length] ?? pageSize);
    const found = [...rows.values()].filter(({ at }) => at >= floor).length;
    const capped = above === 'beyond';
    const whole = !capped && above !== 'moved' && found >= above;
    if (whole || capped || pass + 1 >= mostPasses) return { rows: [...rows.values()], total, capped, whole };
  }
}

interface Pass {
  readonly total: number | undefined;
  readonly floor: number;
  /** How many rows there are above the floor; beyond: more than are read; moved: rows disappeared in between. */
  readonly above: number | 'beyond' | 'moved';
}

function* readDown(
  mark: FeedMark | undefined,
  rows: Map<string, FeedRow>,
  cap: number,
  limit: number,
): Generator<PageRequest, Pass, Page<Activity>> {
  let size = limit;
  let total: number | undefined;
  let shrunk = false;
  let above: number | undefined;
  let floor = 0;
  for (let page = 1; page <= cap; page++) {
    const answer: Page<Activity> = yield { page, limit };
    shrunk ||= total !== undefined && answer.total !== undefined && answer.total < total;
    total = answer.total;
    const read = rowsOf(answer);
    for (const row of read) rows.set(row.id, row);
    // a server may return fewer rows than requested, and then always does
    if (page === 1 && answer.hasMore) size = read.length;
    floor = mark ? floorOf(mark) : newest(rows) - overlapMs;
    const below = read.findIndex(({ at }) => at < floor);
    if (below !== -1) above ??= (page - 1) * size + below;
    const end = !answer.hasMore || read.length === 0;
    if (end) above ??= (page - 1) * size + read.length;
    if (end || (above !== undefined && (page >= deepPages || !promised(mark, total, rows)))) break;
  }
  return { total, floor, above: shrunk ? 'moved' : (above ?? 'beyond') };
}

/** The count implies more news than was found: it is further down, where the forge's clock went back. */
function promised(mark: FeedMark | undefined, total: number | undefined, rows: ReadonlyMap<string, FeedRow>): boolean {
  if (mark?.total === undefined || total === undefined) return false;
  return fresh(mark, [...rows.values()]).length < total - mark.total;
}

const newest = (rows: ReadonlyMap<string, Row>): number =>
  [...rows.values()].reduce((most, { at }) => Math.max(most, at), 0);
