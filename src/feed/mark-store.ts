import { z } from 'zod';
import type { SourceMark } from '../store/index.js';
import type { FeedMark, Memory } from './diff.js';

/** One schema for each field: what has none here would be lost between two polls. */
type Schemas<Of> = Readonly<Record<keyof Of, z.ZodType>>;

const memory: Schemas<Memory> = {
  open: z.record(z.string(), z.number()).optional(),
  waiting: z.record(z.string(), z.number()).optional(),
  stuck: z.record(z.string(), z.number()).optional(),
  lookedAt: z.number().optional(),
  tracks: z
    .record(
      z.string(),
      z.object({
        colour: z.enum(['red', 'green']),
        run: z.number(),
        at: z.string(),
        sha: z.string().optional(),
        last: z.object({ number: z.number(), url: z.string(), at: z.string() }).optional(),
      }),
    )
    .optional(),
  labeled: z.record(z.string(), z.array(z.string())).optional(),
  labels: z.array(z.string()).optional(),
  drafts: z.array(z.string()).optional(),
  found: z.array(z.string()).optional(),
};

const memo: Schemas<Omit<FeedMark, 'v' | 'time' | 'seen'>> = {
  total: z.number().optional(),
  held: z.array(z.string()).optional(),
  again: z.literal(true).optional(),
  top: z.number().optional(),
  memory: z.object(memory).optional(),
};
const Memo = z.object(memo);

/** As the store keeps it: every id with its time, what else is remembered beside. */
export function storedMark({ v: _v, time, seen, ...rest }: FeedMark): SourceMark {
  // JSON drops what is undefined; the schema of the store wants plain JSON
  return { time, seen: Object.entries(seen).map(([id, at]) => `${at} ${id}`), memo: JSON.parse(JSON.stringify(rest)) };
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
  // JSON drops what is undefined
  const plain = JSON.parse(JSON.stringify(Memo.parse(stored.memo ?? {})));
  return { v: 1, time: stored.time, seen: Object.fromEntries(pairs), ...plain };
}
