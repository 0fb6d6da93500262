import { reasonOf } from '../errors.js';
import type { Log } from '../log.js';

/** One at a time; a failed step is retried next time. */
export function repeat(everyMs: number, log: Log, failure: string, step: () => Promise<void>) {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= step()
      .catch((error: unknown) => log.warn({ reason: reasonOf(error) }, failure))
      .finally(() => {
        running = undefined;
      });
  }, everyMs).unref();
  return {
    async stop(): Promise<void> {
      clearInterval(timer);
      await running;
    },
  };
}
