import type { EventDelivery, UpdateDelivery } from '../../feed/delivery.js';
import type { Place, Store } from '../../store/index.js';

/** One event on its way into one outbox. */
export interface Parcel {
  readonly place: Place;
  readonly id: string;
  /** Waits in the outbox once under this name. */
  readonly card?: string;
  readonly body: EventDelivery | UpdateDelivery;
}

/** Into their outboxes, each in its order. */
export async function appendAll(store: Store, parcels: readonly Parcel[]): Promise<void> {
  const byPlace = new Map<string, { readonly place: Place; readonly entries: Omit<Parcel, 'place'>[] }>();
  for (const { place, ...entry } of parcels) {
    const name = `${place.team}/${place.channel}`;
    const group = byPlace.get(name) ?? { place, entries: [] };
    group.entries.push(entry);
    byPlace.set(name, group);
  }
  await Promise.all([...byPlace.values()].map(({ place, entries }) => store.outbox.append(place, entries)));
}
