import type { Cluster, Redis } from 'ioredis';
import { refusalOf } from './health.js';

const firstWaitMs = 100;
const longestWaitMs = 5_000;
/** So long without a refusal, and the next wait is a short one again. */
const forgottenMs = 15_000;

/** Doubles from one refusal to the next. */
function growingWait(): () => number {
  let wait = firstWaitMs;
  let last = 0;
  return () => {
    const now = performance.now();
    wait = now - last > forgottenMs ? firstWaitMs : Math.min(longestWaitMs, wait * 2);
    last = now;
    return wait;
  };
}

/**
 * Behind one address another server may have become the primary, while our connection still leads to the old one. It is
 * opened anew, and what was refused is sent again; not for the bot, which has reported it as failed.
 */
export function afterFailover(resend: boolean) {
  const wait = growingWait();
  let refusedAt = Number.NEGATIVE_INFINITY;
  return {
    reconnectOnError(error: Error): false | 1 | 2 {
      if (!/\b(?:READONLY|UNBLOCKED)\b/.test(error.message)) return false;
      refusedAt = performance.now();
      return resend ? 2 : 1;
    },
    // an address that still leads to the replica must not be dialed without a pause
    retryStrategy: (times: number): number =>
      performance.now() - refusedAt < longestWaitMs ? wait() : Math.min(times * 50, 2_000),
  };
}

/** A full Redis refuses at once, and loops that ask again at once would do nothing else: the refusal takes its time. */
export function slowRefusals(redis: Redis | Cluster): void {
  const wait = growingWait();
  // a single server and a cluster type their arguments apart; they are handed on as they come
  const send: (...command: never) => unknown = redis.sendCommand.bind(redis);
  redis.sendCommand = (...command: never) => {
    const sent = slowed(send(...command), wait);
    // pipelines look at the command itself, not at what is returned here
    sent.catch(() => {});
    return sent;
  };
}

async function slowed(sent: unknown, wait: () => number): Promise<unknown> {
  try {
    return await sent;
  } catch (error) {
    if (refusalOf(error) !== undefined) await new Promise((resolve) => setTimeout(resolve, wait()));
    throw error;
  }
}
