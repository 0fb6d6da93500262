import { Filter } from '../../feed/filter.js';
import type { InboxEvent } from '../../feed/inbox-why.js';
import { subOf } from '../../feed/kind.js';
import type { Place, Store } from '../../store/index.js';

const repeated: ReadonlySet<string> = new Set(['replied', 'activity']);

/** Items the person follows in their direct messages are posted by that subscription, not twice. */
export async function followedIn(
  { subscriptions }: Pick<Store, 'subscriptions'>,
  place: Place,
  events: readonly InboxEvent[],
): Promise<ReadonlySet<InboxEvent>> {
  const found = await Promise.all(
    events.map(async (event) => {
      const { number } = event.item;
      if (number === undefined || !repeated.has(subOf(event.kind))) return [];
      const sub = await subscriptions.get({ place, target: { kind: 'repo', id: event.repo.id } });
      return sub && !sub.paused && Filter.safeParse(sub.filter).data?.items?.includes(number) ? [event] : [];
    }),
  );
  return new Set(found.flat());
}
