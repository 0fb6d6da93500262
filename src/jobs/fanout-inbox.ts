import type { EventDelivery } from '../feed/delivery.js';
import { type Event, subOf } from '../feed/event.js';
import { quietUntil } from '../feed/quiet.js';
import type { Person, Place } from '../store/index.js';
import type { FeedDeps } from './feed-deps.js';

/** A person's own notifications as direct messages: kinds they switched off are left out, nights are left in peace. */
export async function inboxDelivery(
  { store, slack, as, now }: FeedDeps,
  person: Person,
  events: readonly Event[],
): Promise<{ readonly place: Place; readonly bodies: readonly EventDelivery[] } | undefined> {
  const { kinds, quiet } = await store.settings.get(person);
  const wanted = events.filter((event) => kinds[subOf(event.kind)] !== false);
  const user = wanted.length === 0 ? undefined : await slack.user(person.user);
  // whoever signed out meanwhile gets nothing more
  if (!user || user.deleted || !(await as(person))) return undefined;
  const place = { team: person.team, channel: await slack.directMessage(person.user) };
  const until = quietUntil(now(), quiet, user.utcOffset);
  if (until !== undefined) await store.outbox.pause(place, 'quiet hours', until);
  return {
    place,
    bodies: wanted.map((event) => ({
      type: 'event',
      event,
      style: 'card',
      threaded: true,
      ...(until !== undefined && { calm: true }),
    })),
  };
}
