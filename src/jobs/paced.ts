import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../forge/index.js';
import type { FeedDeps } from './feed-deps.js';

type PaceDeps = Pick<FeedDeps, 'policy' | 'store'>;

const rateOf = ({ policy }: PaceDeps) => ({
  intervalMs: 1_000 / policy.feed.requestsPerSecond,
  burst: Math.max(1, Math.ceil(policy.feed.requestsPerSecond)),
});

/** Longer than the usual pace makes anyone wait. */
const longMs = (deps: PaceDeps): number => 2_000 + rateOf(deps).intervalMs;

/** No answer makes Bellows wait longer than this before it asks again. */
const longestMs = 3_600_000;

/** For a 429 that does not say how long. */
const unsaidMs = 10_000;

/** The forge asked everyone to wait: what needs it is tried again then. */
export class ForgePaused extends Error {
  readonly forMs: number;

  constructor(forMs: number) {
    super('The forge asked Bellows to wait.');
    this.forMs = forMs;
  }
}

/** Limits requests to the forge across all workers. */
export function createPaced(deps: FeedDeps): () => Promise<void> {
  const rate = rateOf(deps);
  return async () => {
    for (;;) {
      const ms = await deps.store.pace.take('forge', rate);
      if (ms > longMs(deps)) throw new ForgePaused(ms);
      if (ms === 0) return deps.count('requests');
      await pause(ms);
    }
  };
}

/** How long the forge asked to wait with this answer. */
export const retryAfterOf = (error: unknown): number =>
  error instanceof ApiError ? Math.min(longestMs, (error.retryAfter ?? 0) * 1_000) : 0;

/** The bot's own account asked too often: no worker asks the forge for anything until the forge allows it again. */
export async function pauseForge(deps: PaceDeps, error: unknown): Promise<void> {
  if (error instanceof ApiError && error.status === 429)
    await deps.store.pace.hold('forge', rateOf(deps), retryAfterOf(error) || unsaidMs);
}

export const isForgePaused = async (deps: PaceDeps): Promise<boolean> =>
  (await deps.store.pace.look('forge', rateOf(deps))) > longMs(deps);
