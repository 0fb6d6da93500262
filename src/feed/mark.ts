import { z } from 'zod';
import { plainJson, type SourceMark } from '../store/index.js';
import type { RunPoint } from './event.js';

const names = z.array(z.string()).readonly();
const attempts = z.record(z.string(), z.number()).readonly();

const point = { number: z.number(), url: z.string(), at: z.string() } satisfies Record<keyof RunPoint, z.ZodType>;

const Track = z
  .object({
    color: z.enum(['red', 'green']),
    /** The run that changed it. */
    run: z.number(),
    at: z.string(),
    /** The last commit of this color, and its run. */
    sha: z.string().exactOptional(),
    last: z.object(point).readonly().exactOptional(),
  })
  .readonly();
export type Track = z.infer<typeof Track>;

const Memory = z
  .object({
    /** Unfinished runs, with their attempt. */
    open: attempts.exactOptional(),
    /** The last of them that was asked for alone, while there were too many for one poll. */
    askedTo: z.number().exactOptional(),
    /** Runs reported as waiting for approval or stuck and unchanged since, with their attempt. */
    waiting: attempts.exactOptional(),
    stuck: attempts.exactOptional(),
    /** When unfinished runs were last examined. */
    lookedAt: z.number().exactOptional(),
    /** The last color per workflow and branch. */
    tracks: z.record(z.string(), Track).readonly().exactOptional(),
    /** Items with a wanted label, with those labels. */
    labeled: z.record(z.string(), names).readonly().exactOptional(),
    labels: names.exactOptional(),
    /** Pull requests that were drafts when last seen. */
    drafts: names.exactOptional(),
    /** Since when review requests are read, and when that was last done, by the forge's clock. */
    requests: z.object({ from: z.number(), at: z.number() }).readonly().exactOptional(),
    /** Items an earlier search found, `reason:id`. */
    found: names.exactOptional(),
  })
  .readonly();
export type Memory = z.infer<typeof Memory>;

const Memo = z
  .object({
    /** Size of the whole list, if the server says so: reveals rows that became visible late. */
    total: z.number().exactOptional(),
    /** Rows held back for one poll, because their other half may still come. */
    held: names.exactOptional(),
    /** The window is read once more: there was news, or it could not be read completely. */
    again: z.literal(true).exactOptional(),
    /** The largest id seen: only used to find new rows after the forge's clock went back. */
    top: z.number().exactOptional(),
    /** What else this kind of source remembers. */
    memory: Memory.exactOptional(),
  })
  .readonly();

/** How far a source was read: a time plus the ids seen near it. Never just the highest id, never our own clock. */
export type FeedMark = z.infer<typeof Memo> & {
  readonly v: 1;
  /** Time of the newest processed row in milliseconds, by the forge's clock. */
  readonly time: number;
  /** Ids seen inside the overlap window, with their times. */
  readonly seen: Readonly<Record<string, number>>;
};

/** As stored: every id with its time, and the rest. */
export function storedMark({ v: _v, time, seen, ...rest }: FeedMark): SourceMark {
  // JSON drops undefined values; the store's schema wants plain JSON
  return { time, seen: Object.entries(seen).map(([id, at]) => `${at} ${id}`), memo: plainJson(rest) };
}

/** The store returns the same object while the mark is unchanged. */
const read = new WeakMap<SourceMark, FeedMark>();

export function readMark(stored: SourceMark | undefined): FeedMark | undefined {
  if (!stored) return undefined;
  const known = read.get(stored) ?? decode(stored);
  read.set(stored, known);
  return known;
}

function decode(stored: SourceMark): FeedMark {
  const pairs = stored.seen.map((pair) => {
    const space = pair.indexOf(' ');
    return [pair.slice(space + 1), Number(pair.slice(0, space))] as const;
  });
  return { v: 1, time: stored.time, seen: Object.fromEntries(pairs), ...Memo.parse(stored.memo ?? {}) };
}

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

interface Advance {
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
