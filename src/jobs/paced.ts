import type { FeedDeps } from './feed-deps.js';

/** Limits requests to the forge across all workers; true if it had to wait. */
export function createPaced({ store, policy, count }: FeedDeps): () => Promise<boolean> {
  const rate = {
    intervalMs: 1_000 / policy.feed.requestsPerSecond,
    burst: Math.max(1, Math.ceil(policy.feed.requestsPerSecond)),
  };
  return () => {
    count('requests');
    return store.pace.wait('forge', rate);
  };
}
