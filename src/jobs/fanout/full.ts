import { isFull } from '../../feed/lanes.js';
import type { Place, Store } from '../../store/index.js';
import { count } from '../../view/look.js';
import { say } from '../../view/message.js';
import { md } from '../../view/text.js';
import type { Parcel } from './parcels.js';

/** More than a paused outbox keeps: it is only counted, and the number is queued after everything else. */
export async function leaveOut(store: Store, place: Place, id: string): Promise<void> {
  await store.lostChannels.leaveOut(place, [id]);
  const left = await store.lostChannels.leftOut(place);
  const words = md`${count(left, 'more update')} arrived while updates were paused here and ${left === 1 ? 'is' : 'are'} not shown.`;
  const body = { type: 'message', message: say(words) };
  await store.outbox.append(place, [{ id: `left:${id}:${left}`, card: 'left-out', body }]);
}

/** Direct messages that still fit; what only updates a card always does. */
export async function fitting(store: Store, parcels: readonly Parcel[]): Promise<readonly Parcel[]> {
  const kept: Parcel[] = [];
  for (const parcel of parcels) {
    const { place, id, body } = parcel;
    if (body.type === 'event' && (await isFull(store, place))) await leaveOut(store, place, id);
    else kept.push(parcel);
  }
  return kept;
}
