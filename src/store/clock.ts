import type { Connection } from './redis.js';

export interface Clock {
  /** Milliseconds since 1970 by Redis, the same for all processes. */
  now(): number;
  stop(): void;
}

const everyMs = 5_000;

/**
 * Redis' time, kept between two looks by a clock that nobody sets: what one process plans another finds due, and a
 * machine whose own clock is wrong, or is corrected, changes nothing.
 */
export async function createClock(redis: Connection): Promise<Clock> {
  let offset = await look(redis);
  const timer = setInterval(() => {
    // while Redis is away the last look holds
    look(redis).then(
      (seen) => {
        offset = seen;
      },
      () => {},
    );
  }, everyMs).unref();
  return { now: () => Math.round(performance.now() + offset), stop: () => clearInterval(timer) };
}

/** How far Redis' time is ahead of this process's own count of milliseconds. */
async function look(redis: Connection): Promise<number> {
  const asked = performance.now();
  const [seconds, micros] = await redis.time();
  const answered = performance.now();
  return Number(seconds) * 1_000 + Number(micros) / 1_000 - (asked + answered) / 2;
}
