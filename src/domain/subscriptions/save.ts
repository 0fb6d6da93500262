import type { Context } from '../../chat/context.js';
import type { Filter } from '../../feed/filter.js';
import { type Place, plainJson, type Store, type Subscription } from '../../store/index.js';
import type { Found } from './find-target.js';
import { watch } from './watch.js';

/** Stores the subscription and starts polling its sources from now on. */
export async function follow(found: Found, filter: Filter, place: Place, context: Context): Promise<Subscription> {
  const { store, person, now } = context;
  const where = { place, target: found.target };
  const old = await store.subscriptions.get(where);
  const row = { ...where, owner: person.user, filter: plainJson(filter), checkedAt: now.getTime() };
  const put = await store.subscriptions.put(row, found.name);
  await resumeChannel(place, store);
  await watch(found, filter, context);
  // resuming a paused one makes the person its owner
  if (!old?.paused || old.owner === person.user) return put;
  return (await store.subscriptions.change(where, { owner: person.user })) ?? put;
}

/** A channel Slack refused before accepts messages again; a mute ends separately. */
async function resumeChannel(place: Place, { outbox }: Store): Promise<void> {
  const pause = await outbox.paused(place);
  if (pause && pause.until === undefined) await outbox.resume(place);
}
