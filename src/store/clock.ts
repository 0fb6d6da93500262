import type { Connection } from './redis.js';

export interface Clock {
  /** Milliseconds since 1970 by Redis, the same for all processes. */
  now(): number;
  stop(): void;
}

const everyMs = 5_000;

/**
 * Redis' time, advanced by a monotonic clock between reads: what one process schedules another finds due, and a machine
 * with a wrong or adjusted clock changes nothing.
 */
export async function createClock(redis: Connection): Promise<Clock> {
  let offset = await look(redis);
  const timer = setInterval(() => {
    // while Redis is down the last reading stays valid
    look(redis).then(
      (seen) => {
        offset = seen;
      },
      () => {},
    );
  }, everyMs).unref();
  return { now: () => Math.round(performance.now() + offset), stop: () => clearInterval(timer) };
}

/** How far Redis' time is ahead of this process's own millisecond counter. */
async function look(redis: Connection): Promise<number> {
  const asked = performance.now();
  const [seconds, micros] = await redis.time();
  const answered = performance.now();
  return Number(seconds) * 1_000 + Number(micros) / 1_000 - (asked + answered) / 2;
}
