import type { EventDelivery, UpdateDelivery } from '../../feed/delivery.js';
import type { Place, Store } from '../../store/index.js';

/** One event for one outbox. */
export interface Parcel {
  readonly place: Place;
  readonly id: string;
  /** At most one entry under this name is queued in the outbox. */
  readonly card?: string;
  readonly body: EventDelivery | UpdateDelivery;
}

/** Appends to their outboxes, keeping the order of each. */
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
