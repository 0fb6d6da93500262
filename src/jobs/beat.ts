import { reasonOf } from '../errors.js';
import type { Log } from '../log.js';
import { redisTrouble, refusalOf, type Store } from '../store/index.js';

interface Beat {
  readonly name: string;
  readonly everyMs: number;
  step(): Promise<void>;
}

/** Each worker has its own timer and one of them gets the turn: no wrong clock and no lost timer matters. */
export function beat(store: Store, log: Log, { name, everyMs, step }: Beat): NodeJS.Timeout {
  let busy = false;
  const once = async () => {
    if (busy || !(await store.beats.take(name, everyMs))) return;
    busy = true;
    await step().finally(() => {
      busy = false;
    });
  };
  const failed = (error: unknown) =>
    error instanceof Error && refusalOf(error) !== undefined
      ? redisTrouble(log)(error)
      : log.warn({ step: name, reason: reasonOf(error) }, 'a step of the feed failed');
  return setInterval(() => void once().catch(failed), everyMs).unref();
}
