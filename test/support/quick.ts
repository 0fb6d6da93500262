import { type PolicyFile, readPolicyFile } from '../../src/config/file.js';
import type { WorkerTempo } from '../../src/worker/tempo.js';

/**
 * No test waits for the usual turns and rate limits; those that are about them set their own. What follows runs,
 * deployments and queues costs most, so only tests about those set `followMs` or `queueMs`.
 */
export const quickTempo: Partial<WorkerTempo> = {
  ...{ sweepMs: 300, tellMs: 300, lookMs: 100 },
  feed: {
    // soonMs stays: the forge counts whole seconds
    ...{ confirmMs: 300, tickMs: 400, sweepMs: 1_500 },
    posts: { team: { intervalMs: 10, burst: 20 }, channel: { intervalMs: 50, burst: 3 } },
    updates: { intervalMs: 60, burst: 10 },
  },
};

/** The text of bellows.yaml; requests to the stand-in forge are not limited, and `pollMs` may be less than it accepts. */
export function quickPolicy(text: string, pollMs?: number): PolicyFile {
  const policy = readPolicyFile(text, 'bellows.yaml');
  const polls = pollMs !== undefined && { busySeconds: pollMs / 1_000, idleSeconds: pollMs / 1_000 };
  return { ...policy, feed: { ...policy.feed, requestsPerSecond: 1_000, ...polls } };
}
