import { LRUCache } from 'lru-cache';
import type { Mark } from '../feed/diff.js';
import type { Polled } from '../feed/sources/source.js';

export interface Glance {
  /** Whether the bytes are those that held nothing new for this mark before. */
  known(print: string): boolean;
  /** What the poll comes to then. */
  readonly idle: Polled | undefined;
  /** The poll ended with this mark. */
  settle(after: Mark): void;
}

const sourcesRemembered = 20_000;

/** Most polls see what the last one saw: the same bytes and the same mark have no news, and need not be read. */
export function createGlances() {
  const idle = new LRUCache<string, { readonly print: string; readonly mark: Mark }>({ max: sourcesRemembered });
  return (source: string, mark: Mark | undefined): Glance => {
    let seen = '';
    let same = false;
    return {
      known(print) {
        const before = idle.get(source);
        same = before !== undefined && before.mark === mark && before.print === print;
        seen = print;
        return same;
      },
      get idle() {
        return same && mark ? { events: [], mark, soon: false, capped: false } : undefined;
      },
      settle(after) {
        if (mark && after === mark && seen !== '') idle.set(source, { print: seen, mark });
        else idle.delete(source);
      },
    };
  };
}
