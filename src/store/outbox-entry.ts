import { z } from 'zod';
import { type Json, json, texts, versionedCodec } from './ground.js';

const OutboxEntry = z.object({
  /** The event's id: an id the outbox had before is dropped. */
  id: z.string(),
  at: z.int(),
  /** Queued entries of one card replace each other; the latest wins. */
  card: z.string().optional(),
  /** A call that posted it had an unknown outcome: it may be there already. */
  unsure: z.literal(true).optional(),
  /** How often it was set aside. */
  asides: z.int().optional(),
  /** Stored as JSON; the code that posts it validates it. */
  body: z.unknown(),
});
export type OutboxEntry = z.infer<typeof OutboxEntry>;
export const entry = versionedCodec(OutboxEntry);

const Intent = z.object({
  /** Goes into the message's metadata, so that an unknown outcome can be looked up. */
  id: z.string(),
  /** The entries this one call posts: one, or many as a digest. */
  entries: texts,
  at: z.int(),
  note: json.optional(),
});
export type Intent = z.infer<typeof Intent>;
export const intent = versionedCodec(Intent);

const Pause = z.object({ reason: z.string(), at: z.int(), until: z.int().optional() });
export type Pause = z.infer<typeof Pause>;
export const pause = versionedCodec(Pause);

const Trouble = z.object({
  /** The entry that Slack refuses; the first of a digest. */
  id: z.string(),
  /** How often, while Slack itself was up. */
  count: z.int(),
  since: z.int(),
  /** Slack's error code. */
  code: z.string(),
  /** At most this many go together: a digest was refused. */
  most: z.int().optional(),
});
export type Trouble = z.infer<typeof Trouble>;
export const trouble = versionedCodec(Trouble);

const Aside = z.object({
  at: z.int(),
  code: z.string(),
  /** The original entry. */
  entry: z.string(),
  /** Its place in the queue, and when it is tried again: then, or when the channel accepts something else. */
  seq: z.number().optional(),
  asides: z.int().optional(),
  retryAt: z.int().optional(),
});
export type Aside = z.infer<typeof Aside>;
export const aside = versionedCodec(Aside);

/** An outbox as seen by the worker that drains it. */
export interface OutboxView {
  readonly entries: readonly OutboxEntry[];
  /** How many are queued, including these. */
  readonly size: number;
  /** A post that was begun and whose outcome is unknown. */
  readonly intent?: Intent;
  readonly pause?: Pause;
  /** Slack asked to wait until then. */
  readonly notBefore?: number;
  /** What Slack has refused so far. */
  readonly trouble?: Trouble;
  /** How many messages were set aside. */
  readonly aside: number;
}

export interface ThreadMark {
  readonly item: string;
  readonly ts: string;
  readonly hash?: string | undefined;
  readonly about?: Json | undefined;
}
