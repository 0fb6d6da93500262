import { z } from 'zod';
import { plainJson, type SourceMark } from '../store/index.js';
import type { RunPoint } from './event.js';

const names = z.array(z.string()).readonly();
const attempts = z.record(z.string(), z.number()).readonly();

const point = { number: z.number(), url: z.string(), at: z.string() } satisfies Record<keyof RunPoint, z.ZodType>;

const Track = z
  .object({
    colour: z.enum(['red', 'green']),
    /** The run that turned it so. */
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
    /** Runs that had not ended, with their attempt. */
    open: attempts.exactOptional(),
    /** Runs that were told as waiting for approval or stuck and have not gone on, with their attempt. */
    waiting: attempts.exactOptional(),
    stuck: attempts.exactOptional(),
    /** When unfinished runs were looked into last. */
    lookedAt: z.number().exactOptional(),
    /** The last colour per workflow and branch. */
    tracks: z.record(z.string(), Track).readonly().exactOptional(),
    /** Items that carry a wanted label, with those labels. */
    labeled: z.record(z.string(), names).readonly().exactOptional(),
    labels: names.exactOptional(),
    /** Pull requests that were drafts when last seen. */
    drafts: names.exactOptional(),
    /** Items a search found before, `reason:id`. */
    found: names.exactOptional(),
  })
  .readonly();
export type Memory = z.infer<typeof Memory>;

const Memo = z
  .object({
    /** Of the whole list, where the server says so: tells of a row that became visible late. */
    total: z.number().exactOptional(),
    /** Rows left for the next poll once, because their other half may still come. */
    held: names.exactOptional(),
    /** The window is read once more: there was news, or it could not be read whole. */
    again: z.literal(true).exactOptional(),
    /** The largest id seen: tells what is new where the forge's time went back, and nothing else. */
    top: z.number().exactOptional(),
    /** What this kind of source remembers besides. */
    memory: Memory.exactOptional(),
  })
  .readonly();

/** Where a source stands: a time plus the ids seen near it. Never the highest id, never our own clock. */
export type FeedMark = z.infer<typeof Memo> & {
  readonly v: 1;
  /** Milliseconds of the newest row processed, by the forge's clock. */
  readonly time: number;
  /** Ids seen inside the overlap window, with their times. */
  readonly seen: Readonly<Record<string, number>>;
};

/** As the store keeps it: every id with its time, what else is remembered beside. */
export function storedMark({ v: _v, time, seen, ...rest }: FeedMark): SourceMark {
  // JSON drops what is undefined; the schema of the store wants plain JSON
  return { time, seen: Object.entries(seen).map(([id, at]) => `${at} ${id}`), memo: plainJson(rest) };
}

/** The store gives the same object as long as the mark stays. */
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
