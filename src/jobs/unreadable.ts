import { LRUCache } from 'lru-cache';
import type { Log } from '../log.js';

/** Logs rows of unknown shape, each kind once a day, since they stay that way for weeks. */
export function createUnreadableLog(log: Log) {
  const said = new LRUCache<string, true>({ max: 1_000, ttl: 24 * 3_600_000 });
  return (source: string) =>
    (why: string): void => {
      if (!said.has(why)) log.warn({ source, why }, 'a row has an unknown shape; it is shown only in part');
      said.set(why, true);
    };
}
