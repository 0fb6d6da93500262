import type { FeedMark, Memory } from './mark.js';

export interface Row {
  readonly id: string;
  readonly at: number;
}

export const overlapMs = 600_000;

/** The oldest time that still matters: earlier rows were processed long ago. */
export const floorOf = (mark: FeedMark | undefined): number =>
  mark ? mark.time - overlapMs : Number.NEGATIVE_INFINITY;

export const byTime = (a: Row, b: Row): number => a.at - b.at || compareIds(a.id, b.id);

// ids are numbers in text, sometimes with a suffix
function compareIds(a: string, b: string): number {
  const [left, right] = [Number.parseInt(a, 10), Number.parseInt(b, 10)];
  if (Number.isNaN(left) || Number.isNaN(right) || left === right) return a < b ? -1 : a > b ? 1 : 0;
  return left - right;
}

/** If the forge's clock was set back, it is behind what was seen: lists with `since` then start from there. */
export const rewound = (mark: FeedMark | undefined, forgeNow: number | undefined): FeedMark | undefined =>
  mark && forgeNow !== undefined && forgeNow < mark.time ? { ...mark, time: forgeNow } : mark;

/** The most a forge's clock is set back; an imported repository brings older rows. */
const backMs = 7 * 86_400_000;

/** Whether a row is new: by time and id, or by id alone after the forge's clock went back. */
export function isFresh(mark: FeedMark, { id, at }: Row): boolean {
  if (Object.hasOwn(mark.seen, id)) return false;
  if (at >= floorOf(mark)) return true;
  return mark.top !== undefined && Number.parseInt(id, 10) > mark.top && at >= mark.time - backMs;
}

/** Unseen rows, oldest first, without repeats; the first poll only learns. */
export function fresh<R extends Row>(mark: FeedMark | undefined, rows: readonly R[]): R[] {
  if (!mark) return [];
  const found = new Map<string, R>();
  for (const row of rows) if (isFresh(mark, row)) found.set(row.id, row);
  return [...found.values()].sort(byTime);
}

/** Rows older than this, when an empty list first shows something, existed before anyone followed it. */
const graceMs = 86_400_000;

export interface Advance {
  /** Our own time: only for a first poll that found nothing. */
  readonly now?: number;
  /** The forge's own time: no row moves the mark beyond it. */
  readonly latest?: number | undefined;
  /** How far back from its time the mark remembers ids. */
  readonly rememberMs?: number;
  readonly again?: boolean;
  /** This list's ids increase over time. */
  readonly growing?: boolean;
  readonly total?: number | undefined;
  readonly held?: readonly Row[];
  readonly memory?: Memory | undefined;
}

/** The mark after these rows; its time goes back only with the forge's clock. */
export function advance(
  mark: FeedMark | undefined,
  rows: readonly Row[],
  {
    now,
    latest = Number.POSITIVE_INFINITY,
    rememberMs = overlapMs,
    again = false,
    growing = false,
    total,
    held = [],
    memory,
  }: Advance = {},
): FeedMark {
  const waiting = new Set(held.map(({ id }) => id));
  const known = rows.filter(({ id }) => !waiting.has(id));
  const newest = (times: readonly Row[], least: number) => times.reduce((most, { at }) => Math.max(most, at), least);
  // a held row must stay above the floor, so the time may not be ahead of it by more than the window
  const first = rows.length === 0 && now !== undefined ? now - graceMs : 0;
  const time = Math.min(newest(known, mark?.time ?? first), latest);
  const top = growing ? known.reduce((most, { id }) => Math.max(most, Number.parseInt(id, 10)), mark?.top ?? 0) : 0;
  const floor = time - rememberMs;
  const seen: Record<string, number> = {};
  for (const [id, at] of Object.entries(mark?.seen ?? {})) if (at >= floor) seen[id] = at;
  for (const { id, at } of known) if (at >= floor) seen[id] = at;
  return {
    v: 1,
    time,
    seen,
    ...(again && { again: true as const }),
    ...(top > 0 && { top }),
    ...(total !== undefined && { total }),
    ...(waiting.size > 0 && { held: [...waiting] }),
    ...(memory && { memory }),
  };
}
