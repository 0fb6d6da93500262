import type { RunPoint } from './event.js';

/** Where a source stands: a time plus the ids seen near it. Never the highest id, never our own clock. */
export interface FeedMark {
  readonly v: 1;
  /** Milliseconds of the newest row processed, by the forge's clock. */
  readonly time: number;
  /** Ids seen inside the overlap window, with their times. */
  readonly seen: Readonly<Record<string, number>>;
  /** Of the whole list, where the server says so: tells of a row that became visible late. */
  readonly total?: number;
  /** Rows left for the next poll once, because their other half may still come. */
  readonly held?: readonly string[];
  /** The window is read once more: there was news, or it could not be read whole. */
  readonly again?: true;
  /** The largest id seen: tells what is new where the forge's time went back, and nothing else. */
  readonly top?: number;
  /** What this kind of source remembers besides. */
  readonly memory?: Memory;
}

export interface Memory {
  /** Runs that had not ended, with their attempt. */
  readonly open?: Readonly<Record<string, number>>;
  /** Runs that were told as waiting for approval or stuck and have not gone on, with their attempt. */
  readonly waiting?: Readonly<Record<string, number>>;
  readonly stuck?: Readonly<Record<string, number>>;
  /** When unfinished runs were looked into last. */
  readonly lookedAt?: number;
  /** The last colour per workflow and branch. */
  readonly tracks?: Readonly<Record<string, Track>>;
  /** Items that carry a wanted label, with those labels. */
  readonly labeled?: Readonly<Record<string, readonly string[]>>;
  readonly labels?: readonly string[];
  /** Pull requests that were drafts when last seen. */
  readonly drafts?: readonly string[];
  /** Items a search found before, `reason:id`. */
  readonly found?: readonly string[];
}

export interface Track {
  readonly colour: 'red' | 'green';
  /** The run that turned it so. */
  readonly run: number;
  readonly at: string;
  /** The last commit of this color, and its run. */
  readonly sha?: string;
  readonly last?: RunPoint;
}

export interface Row {
  readonly id: string;
  readonly at: number;
}

export const overlapMs = 600_000;

/** The oldest time that still matters: rows before it were decided long ago. */
export const floorOf = (mark: FeedMark | undefined): number =>
  mark ? mark.time - overlapMs : Number.NEGATIVE_INFINITY;

export const byTime = (a: Row, b: Row): number => a.at - b.at || compareIds(a.id, b.id);

// ids are numbers in text, sometimes with a suffix
function compareIds(a: string, b: string): number {
  const [left, right] = [Number.parseInt(a, 10), Number.parseInt(b, 10)];
  if (Number.isNaN(left) || Number.isNaN(right) || left === right) return a < b ? -1 : a > b ? 1 : 0;
  return left - right;
}

/** After the forge's clock was set back its present lies before what was seen: lists with `since` are asked from there. */
export const rewound = (mark: FeedMark | undefined, forgeNow: number | undefined): FeedMark | undefined =>
  mark && forgeNow !== undefined && forgeNow < mark.time ? { ...mark, time: forgeNow } : mark;

/** A forge's clock may be set back, hardly by more; a repository that was imported brings older rows. */
const backMs = 7 * 86_400_000;

/** Whether a row is news to this mark: by its time and id, or by its id alone where the forge's time went back. */
export function isFresh(mark: FeedMark, { id, at }: Row): boolean {
  if (Object.hasOwn(mark.seen, id)) return false;
  if (at >= floorOf(mark)) return true;
  return mark.top !== undefined && Number.parseInt(id, 10) > mark.top && at >= mark.time - backMs;
}

/** What was not seen before, oldest first, repeats dropped; the first poll only learns. */
export function fresh<R extends Row>(mark: FeedMark | undefined, rows: readonly R[]): R[] {
  if (!mark) return [];
  const found = new Map<string, R>();
  for (const row of rows) if (isFresh(mark, row)) found.set(row.id, row);
  return [...found.values()].sort(byTime);
}

/** What is older than this when an empty list first shows something was there before anybody followed it. */
const graceMs = 86_400_000;

export interface Advance {
  /** Our own time: only for a first look that found nothing. */
  readonly now?: number;
  /** The forge's own time: no row moves the mark beyond it. */
  readonly latest?: number | undefined;
  /** How long before its time the mark remembers ids. */
  readonly rememberMs?: number;
  readonly again?: boolean;
  /** Ids of this list grow with time. */
  readonly growing?: boolean;
  readonly total?: number | undefined;
  readonly held?: readonly Row[];
  readonly memory?: Memory | undefined;
}

/** The mark after these rows; the time goes back only with the forge's own. */
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
  // a held row must stay above the floor, so time may not run ahead of it by more than the window
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
