import type { FeedTempo } from '../jobs/feed-deps.js';

/** How often a worker checks what is open or due; tests shorten it. */
export interface WorkerTempo {
  /** Open approvals. */
  readonly sweepMs: number;
  /** Answers that Slack has not accepted yet. */
  readonly tellMs: number;
  /** Whether a write whose answer was lost has happened; each pause is a multiple of it. */
  readonly lookMs: number;
  /** Deployments, runs, drained runners, cards under links and people who left. */
  readonly followMs: number;
  /** Merge queues; how long they wait for anything is a multiple of it. */
  readonly queueMs: number;
  /** Requested reviews, while people work. */
  readonly reviewsMs: number;
  /** Reminders. */
  readonly remindMs: number;
  readonly feed: Partial<FeedTempo>;
}

export const usualTempo: WorkerTempo = {
  sweepMs: 3_000,
  tellMs: 1_000,
  lookMs: 500,
  followMs: 2_000,
  queueMs: 2_000,
  reviewsMs: 300_000,
  remindMs: 5_000,
  feed: {},
};
