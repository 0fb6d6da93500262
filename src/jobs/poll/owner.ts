import type { Event } from '../../feed/event.js';
import { storedMark } from '../../feed/mark.js';
import { sourceKey } from '../../feed/sources/source.js';
import type { Store } from '../../store/index.js';

/** A new repository has no history: its feed is posted from the first row instead of learned. */
async function beginBorn({ marks }: Store, events: readonly Event[]): Promise<void> {
  for (const { repo, at } of events.filter(({ kind }) => kind === 'repos:created'))
    await marks.begin(sourceKey({ kind: 'repo', id: repo.id }), storedMark({ v: 1, time: Date.parse(at), seen: {} }));
}

/** An owner's feed shows at once which repositories had activity; their own feeds are authoritative. */
export async function wakeRepositories(store: Store, events: readonly Event[]): Promise<void> {
  await beginBorn(store, events);
  const active = new Set(events.map(({ repo: { id } }) => sourceKey({ kind: 'repo', id })));
  for (const key of await store.sources.wake(...active)) {
    const state = await store.sources.get(key);
    if (state && !state.told) await store.sources.note(key, { ...state, told: true });
  }
}
