import { setTimeout as sleep } from 'node:timers/promises';
import { Broken } from './broken.js';
import { ApiError } from './errors.js';
import { explainSilence } from './failure.js';
import type { Effect } from './operation.js';
import type { Breaker, Reply, Transport, Wire } from './transport.js';

/** The part of pino that is needed. */
export interface ForgeLog {
  debug(about: object, message: string): void;
  warn(about: object, message: string): void;
}

export interface Retry {
  /** In total, including the first. */
  readonly attempts: number;
  readonly baseMs: number;
}

interface Ports {
  readonly transport: Transport;
  readonly breaker: Breaker;
  readonly retry: Retry;
  readonly now: () => number;
  readonly random: () => number;
  readonly log: ForgeLog | undefined;
}

/** Returns an answer of any status; failures without one, and an open circuit, are thrown as ApiError. */
export type Exchange = (name: string, effect: Effect, wire: Wire) => Promise<Reply>;

const longestPauseMs = 5000;

export function createExchange({ transport, breaker, retry, now, random, log }: Ports): Exchange {
  async function attempt(name: string, wire: Wire): Promise<Reply | Broken> {
    const started = now();
    const about = { operation: name, method: wire.method };
    try {
      const reply = await transport.send(wire);
      if (!isDown(reply.status)) breaker.succeeded();
      else if (wire.detail) breaker.left();
      else breaker.failed();
      log?.debug({ ...about, status: reply.status, ms: now() - started }, 'forge answered');
      return reply;
    } catch (problem) {
      if (!(problem instanceof Broken)) throw problem;
      // an abort, a size limit and a redirect do not mean that the forge is down
      const down = problem.how === 'refused' || problem.how === 'lost' || problem.how === 'timeout';
      if (down && !wire.detail) breaker.failed();
      else breaker.left();
      log?.warn({ ...about, how: problem.how, code: problem.detail, ms: now() - started }, 'forge did not answer');
      return problem;
    }
  }

  return async (name, effect, wire) => {
    let sent = false;
    let last: Reply | Broken | undefined;
    for (let tried = 1; ; tried += 1) {
      const stopped = wire.signal?.aborted ?? false;
      const wait = stopped ? 0 : breaker.enter();
      if (wait > 0 && last === undefined) throw circuitOpen(name, wait);
      if (wait > 0 && last !== undefined) return replyOf(name, last, sent);
      last = stopped ? new Broken('aborted', 'aborted', true) : await attempt(name, wire);
      sent ||= !(last instanceof Broken && last.neverSent);
      const pause = pauseBefore(last, effect, tried);
      if (pause === undefined) return replyOf(name, last, sent);
      await sleep(pause, undefined, wire.signal && { signal: wire.signal }).catch(() => undefined);
    }
  };

  function pauseBefore(outcome: Reply | Broken, effect: Effect, tried: number): number | undefined {
    if (effect === 'once' || tried >= retry.attempts) return undefined;
    const again = outcome instanceof Broken ? worthAgain(outcome) : isDown(outcome.status);
    if (!again) return undefined;
    const asked = outcome instanceof Broken ? 0 : Number(outcome.headers['retry-after'] ?? 0) * 1000;
    if (asked > longestPauseMs) return undefined;
    const backoff = Math.min(longestPauseMs, retry.baseMs * 2 ** (tried - 1));
    return Math.max(asked || 0, backoff * (0.5 + random() / 2));
  }
}

function isDown(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

/** A slow request is not retried: the forge may still be busy with the first. */
function worthAgain({ how, detail }: Broken): boolean {
  return how === 'refused' || how === 'lost' || (how === 'timeout' && detail === 'connect');
}

function replyOf(name: string, last: Reply | Broken, sent: boolean): Reply {
  if (!(last instanceof Broken)) return last;
  throw explainSilence(name, last, !sent);
}

export function circuitOpen(operation: string, waitMs: number): ApiError {
  const retryAfter = Math.ceil(waitMs / 1000);
  return new ApiError({
    kind: 'unavailable',
    operation,
    hint: `The forge failed several times in a row. Try again in ${retryAfter} s.`,
    neverSent: true,
    retryAfter,
  });
}
