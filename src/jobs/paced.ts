import type { FeedDeps } from './feed-deps.js';

/** The forge is asked no faster than it may be, by all workers together; true if that took a while. */
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
