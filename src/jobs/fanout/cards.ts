import { isCreation, type UpdateDelivery } from '../../feed/delivery.js';
import { type Event, unitsOf } from '../../feed/event.js';
import type { ItemState } from '../../feed/item.js';
import type { Follower, Routed } from '../../feed/route.js';
import { fixOf } from '../../feed/standing.js';
import { plainJson, type Store } from '../../store/index.js';
import type { Parcel } from './parcels.js';

interface Decided {
  readonly event: Event;
  readonly to: readonly Routed[];
}

/** A channel that does not want the event may still show its item: that card is updated silently. */
export async function cardParcels(
  store: Store,
  decided: readonly Decided[],
  states: ReadonlyMap<string, ItemState>,
): Promise<Parcel[]> {
  const parcels: Parcel[] = [];
  for (const { event, to } of decided) {
    const { thread } = event.item;
    const change = changeOf(event, states.get(thread ?? ''));
    if (thread === undefined || !change || isCreation(event)) continue;
    for (const { follower, delivery } of to) {
      const place = { team: follower.team, channel: follower.channel };
      if (delivery || follower.paused !== undefined || !(await store.threads.get(place, thread))) continue;
      const of = { repo: event.repo, subscription: follower.id, units: unitsOf(event) };
      const body = plainJson({ type: 'update', thread, ...change, of });
      parcels.push({ place, id: `update:${thread}:${event.id}`, card: `update:${thread}`, body });
    }
  }
  return parcels;
}

/** What the event changes on its thread's card: the item's state, or that the broken branch is fixed. */
function changeOf(event: Event, item: ItemState | undefined): Partial<UpdateDelivery> | undefined {
  if (item) return { item, now: true };
  const isFix = event.kind === 'runs:success' && event.run.transition?.since !== undefined;
  return isFix ? { fixed: fixOf(event) } : undefined;
}

/** Nothing to post: the run's card shows its progress. */
export const goesOn = (event: Event): boolean => 'run' in event && event.run.now !== undefined;

export async function runParcels(
  store: Store,
  events: readonly Event[],
  followers: ReadonlyMap<number, readonly Follower[]>,
): Promise<Parcel[]> {
  const parcels: Parcel[] = [];
  for (const event of events) {
    const { thread } = event.item;
    if (!('run' in event) || !event.run.now || thread === undefined) continue;
    for (const { id, team, channel } of followers.get(event.repo.id) ?? []) {
      const place = { team, channel };
      if (!(await store.threads.get(place, thread))) continue;
      const of = { repo: event.repo, subscription: id, units: unitsOf(event) };
      const body = plainJson({ type: 'update', thread, run: event.run.now, of });
      parcels.push({ place, id: `update:${thread}:${event.id}`, card: `update:${thread}`, body });
    }
  }
  return parcels;
}
