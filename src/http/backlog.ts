import pMap from 'p-map';
import type { Place, SourceLags, Store } from '../store/index.js';

export interface Backlog {
  readonly entries: number;
  readonly oldestSeconds: number;
  readonly paused: number;
  /** Messages Slack refused in every form. */
  readonly aside: number;
  readonly sources: number;
  /** For how many milliseconds the most overdue source of each kind has waited. */
  readonly lags: SourceLags;
}

const atOnce = 50;

/** What is pending, read from the records themselves: valid for all processes together. */
export async function readBacklog(store: Store, now: number): Promise<Backlog> {
  const [places, sources, lags] = await Promise.all([
    store.outbox.pending(),
    store.sources.count(),
    store.sources.lags(),
  ]);
  let entries = 0;
  let paused = 0;
  let oldest = now;
  const view = (place: Place) => store.outbox.view(place, 1);
  for (const { size, pause, entries: queued } of await pMap(places, view, { concurrency: atOnce })) {
    entries += size;
    if (pause) paused += 1;
    else oldest = Math.min(oldest, queued[0]?.at ?? now);
  }
  const asides = await pMap(await store.outbox.withAside(), view, { concurrency: atOnce });
  return {
    entries,
    paused,
    aside: asides.reduce((sum, each) => sum + each.aside, 0),
    oldestSeconds: (now - oldest) / 1_000,
    sources,
    lags,
  };
}
