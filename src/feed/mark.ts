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
