import type { Lease } from '../../store/index.js';
import type { FeedDeps } from '../feed-deps.js';

/** As many as fit into a lease; the next run drops the others. */
const mostAtOnce = 500;

/** Drops what nobody follows, under its lease: a new follower waits for the lease and begins anew. */
export function createDropIdle({ store: { marks, sources }, tempo }: FeedDeps) {
  return async (idle: readonly string[], wanted: () => Promise<(source: string) => boolean>): Promise<void> => {
    const held = new Map<string, Lease>();
    for (const source of idle.slice(0, mostAtOnce)) {
      const opened = await marks.open(source, tempo.leaseMs);
      if (opened) held.set(source, opened.token);
    }
    try {
      const isWanted = held.size > 0 ? await wanted() : () => true;
      for (const [source, token] of held) {
        if (isWanted(source) || !(await marks.lease(source).renew(token, tempo.leaseMs))) continue;
        // first: left behind without its source, a mark would make the next follower read all that came since
        await marks.clear(source);
        await sources.drop(source);
      }
    } finally {
      for (const [source, token] of held) await marks.lease(source).release(token);
    }
  };
}
