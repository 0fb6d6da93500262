import type { NotificationThread } from '../forge/schemas.js';
import { type Place, plainJson, type Store } from '../store/index.js';
import type { UpdateDelivery } from './delivery.js';
import type { ItemState } from './item.js';
import { subjectOf } from './sources/inbox.js';

/** The forge does not notify people of their own actions, so their card is updated here. Without a card nothing happens. */
async function redraw(store: Store, place: Place, body: UpdateDelivery, card: 'update' | 'read'): Promise<void> {
  const { thread } = body;
  const id = `update:${thread}:own:${store.now()}`;
  await store.outbox.append(place, [{ id, card: `${card}:${thread}`, body: plainJson(body) }]);
}

/** `asOf`: when the forge was asked. Under its own name, or what an earlier poll saw would replace it. */
export async function followNotification(
  store: Store,
  place: Place,
  found: NotificationThread,
  asOf: number,
): Promise<void> {
  const { thread } = subjectOf(found) ?? {};
  if (thread !== undefined) await redraw(store, place, { type: 'update', thread, read: !found.unread, asOf }, 'read');
}

/** `of`: in a channel, the gate checks it first. */
export async function followItem(
  store: Store,
  place: Place,
  thread: string,
  item: ItemState,
  of?: UpdateDelivery['of'],
): Promise<void> {
  const current = { ...item, readAt: store.now() };
  await redraw(store, place, { type: 'update', thread, item: current, now: true, ...(of && { of }) }, 'update');
}
