import type { Queue } from 'bullmq';
import type { Log } from '../log.js';

const lookEveryMs = 5_000;

export interface TimersOptions {
  readonly queue: Queue;
  /** Milliseconds between two jobs of this name. */
  readonly every: Readonly<Record<string, number>>;
  readonly log: Log;
  /** Redis was emptied, or somebody removed a timer: it stands again, and whoever relied on it starts anew. */
  readonly onLost?: () => unknown;
}

/** Timers live in Redis like everything else: one that is gone is made again, whoever notices first. */
export async function keepTimers({ queue, every, log, onLost }: TimersOptions): Promise<{ stop(): void }> {
  const make = ([name, ms]: readonly [string, number]) =>
    queue.upsertJobScheduler(name, { every: ms }, { name, opts: { removeOnComplete: true, removeOnFail: true } });
  const timers = Object.entries(every);
  await Promise.all(timers.map(make));

  const look = async (): Promise<void> => {
    const there = await Promise.all(timers.map(([name]) => queue.getJobScheduler(name)));
    const lost = timers.filter((_, at) => there[at] === undefined);
    if (lost.length === 0) return;
    await Promise.all(lost.map(make));
    log.warn({ queue: queue.name, timers: lost.map(([name]) => name) }, 'timers were gone from Redis and run again');
    await onLost?.();
  };
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    // a Redis that does not answer tells about itself elsewhere
    look()
      .catch(() => {})
      .finally(() => {
        looking = false;
      });
  }, lookEveryMs).unref();
  return { stop: () => clearInterval(timer) };
}
