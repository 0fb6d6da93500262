import { setTimeout as pause } from 'node:timers/promises';
import { type Cluster, type Redis, ReplyError } from 'ioredis';
import { type Log, warnSeldom } from '../log.js';

/** Redis' error codes for why it takes no writes, wherever a script puts them in the message. */
const refusals: readonly (readonly [word: RegExp, says: string])[] = [
  [/\bOOM\b/, 'Redis is full: raise maxmemory'],
  [/\bREADONLY\b/, 'Redis is read-only: this server is a replica'],
  [/\bMISCONF\b/, 'Redis cannot save to disk and refuses writes'],
];

/** Undefined if the error says nothing about Redis as a whole. */
export const refusalOf = (error: unknown): string | undefined =>
  error instanceof Error ? refusals.find(([word]) => word.test(error.message))?.[1] : undefined;

const away = /ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|Connection is closed|Sentinel/;
const unsettled = /Cluster|Command timed out|max retries per request/;

/** Redis failed, not the command: worth another try later. */
export const isRedisError = (error: unknown): boolean =>
  error instanceof Error && (error instanceof ReplyError || away.test(error.message) || unsettled.test(error.message));

/** For logs: every connection and queue reports the same problem, which is logged once a minute. */
export function redisTrouble(log: Log): (error: Error) => void {
  return (error) => {
    const refusal = refusalOf(error);
    const isAway = away.test(error.message);
    const subject = refusal ?? (isAway ? 'away' : error.message.slice(0, 60));
    warnSeldom(log, subject, { reason: error.message }, refusal ?? (isAway ? 'Redis cannot be reached' : 'Redis'));
  };
}

const firstWaitMs = 100;
const longestWaitMs = 5_000;
/** After this long without a refusal, the next wait is short again. */
const forgottenMs = 15_000;

/** Doubles with each refusal. */
function growingWait(): () => number {
  let wait = firstWaitMs;
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    wait = now - last > forgottenMs ? firstWaitMs : Math.min(longestWaitMs, wait * 2);
    last = now;
    return wait;
  };
}

/**
 * Another server may have become primary behind the same address while our connection still leads to the old one. It is
 * reopened, and refused commands are sent again; not for the bot, which has reported them as failed.
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

/** A full Redis refuses at once, and loops that retry at once would do nothing else: the refusal is delayed. */
export function slowRefusals(redis: Redis | Cluster): void {
  const wait = growingWait();
  // a single server and a cluster type their arguments differently; they are passed on unchanged
  const send: (...command: never) => unknown = redis.sendCommand.bind(redis);
  redis.sendCommand = (...command: never) => {
    const sent = slowDown(send(...command), wait);
    // pipelines use the command itself, not what is returned here
    sent.catch(() => {});
    return sent;
  };
}

async function slowDown(sent: unknown, wait: () => number): Promise<unknown> {
  try {
    return await sent;
  } catch (error) {
    if (refusalOf(error) !== undefined) await pause(wait());
    throw error;
  }
}
