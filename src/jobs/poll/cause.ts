import { setTimeout as pause } from 'node:timers/promises';
import { SourceAbout } from '../../feed/sources/about.js';
import { type Source, sourceKey } from '../../feed/sources/source.js';
import type { OpenedSource } from '../../store/index.js';
import type { FeedDeps } from '../feed-deps.js';

const mostReads = 3;
const mostWaits = 12;
const waitMs = 250;

/** Reads an opened source and fans it out; true while rows of it wait for their other half. */
export type ReadNow = (source: Source, about: SourceAbout, opened: OpenedSource) => Promise<boolean>;

/** What caused a run is posted before it: its repository's feed is read up to now first, within a bounded time. */
export async function causeFirst({ store, tempo }: FeedDeps, source: Source, read: ReadNow): Promise<void> {
  if (source.kind !== 'runs') return;
  const repo = { kind: 'repo', id: source.id } as const;
  const key = sourceKey(repo);
  const about = SourceAbout.safeParse((await store.sources.get(key))?.about);
  if (!about.success) return;
  for (let reads = 0, waits = 0; reads < mostReads && waits < mostWaits; ) {
    const opened = await store.marks.open(key, tempo.leaseMs);
    if (!opened) {
      waits += 1;
      await pause(waitMs);
      continue;
    }
    reads += 1;
    if (!(await read(repo, about.data, opened))) return;
    await pause(tempo.soonMs);
  }
}
