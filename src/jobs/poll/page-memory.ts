import { LRUCache } from 'lru-cache';
import type { FeedMark } from '../../feed/mark.js';
import type { PageCheck } from '../../feed/sources/poll.js';

const sourcesRemembered = 20_000;

/** Most polls see what the last one saw: the same bytes with the same mark are no news and need no parsing. */
export function createPageMemory() {
  const idle = new LRUCache<string, { readonly print: string; readonly mark: FeedMark }>({ max: sourcesRemembered });
  return (source: string, mark: FeedMark | undefined): PageCheck => {
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
      remember(after) {
        if (mark && after === mark && seen !== '') idle.set(source, { print: seen, mark });
        else idle.delete(source);
      },
    };
  };
}
