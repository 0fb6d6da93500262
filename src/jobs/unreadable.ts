import type { Log } from '../log.js';
import { createSeldom } from '../memory.js';

/** Logs rows of unknown shape, each kind once a day, since they stay that way for weeks. */
export function createUnreadableLog(log: Log) {
  const isNew = createSeldom({ forMs: 24 * 3_600_000 });
  return (source: string) =>
    (why: string): void => {
      if (isNew(why)) log.warn({ source, why }, 'a row has an unknown shape; it is shown only in part');
    };
}
