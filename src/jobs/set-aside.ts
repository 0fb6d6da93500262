import type { Log } from '../log.js';
import type { Store } from '../store/index.js';
import { createSuspects } from './suspects.js';

/** `later`: another suspect is running here. `aside`: it stopped its process too often and was not run. */
export type Fate = 'done' | 'later' | 'aside';
export type Watched = (work: string, run: (stops: number) => Promise<void>) => Promise<Fate>;

/** Shown to people who check on it. */
export const stoppedWorker = 'This stopped the worker several times.';

/** More often than a worker happens to restart while it reads one source or posts to one channel. */
const mostStops = 5;

/** Feed jobs are only hints, so the stops each record causes are counted here. */
export function createWatched(store: Store, log: Log): Watched {
  const suspects = createSuspects();
  return async (work, run) => {
    const stops = await store.stops.begin(work);
    if (stops >= mostStops) {
      log.error({ work, stops }, 'this stopped its worker too often and is paused for an hour');
      return 'aside';
    }
    let ran = true;
    try {
      ran = await suspects.run(stops, () => run(stops));
    } finally {
      await (ran ? store.stops.end(work) : store.stops.undo(work));
    }
    return ran ? 'done' : 'later';
  };
}
