import type { Event } from '../../feed/event.js';
import { storedMark } from '../../feed/mark.js';
import { sourceKey } from '../../feed/sources/source.js';
import type { Store } from '../../store/index.js';

/** A new repository has no history: its feed is posted from the first row instead of learned. */
export async function beginBorn({ marks }: Store, events: readonly Event[]): Promise<void> {
  for (const { repo, at } of events.filter(({ kind }) => kind === 'repos:created'))
    await marks.begin(sourceKey({ kind: 'repo', id: repo.id }), storedMark({ v: 1, time: Date.parse(at), seen: {} }));
}
