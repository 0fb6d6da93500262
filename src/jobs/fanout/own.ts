import type { Event } from '../../feed/event.js';
import { followItem } from '../../feed/own-card.js';
import type { FeedDeps } from '../feed-deps.js';
import { directPlace } from './direct.js';
import type { ItemStates } from './items.js';

const closing: ReadonlySet<Event['kind']> = new Set<Event['kind']>([
  'issues:closed',
  'issues:reopened',
  'pulls:closed',
  'pulls:merged',
  'pulls:reopened',
]);

const linksAfterMs = 1_000;

/** Cards under links show their item's current state. */
export async function followLinks({ store }: FeedDeps, events: readonly Event[]): Promise<void> {
  const items = new Set(events.flatMap(({ item }) => item.thread ?? []));
  for (const item of items) await store.links.touch(item, linksAfterMs);
}

/** The forge notifies nobody of their own actions: the card in their direct messages is updated from the feed. */
export async function followOwn(deps: FeedDeps, events: readonly Event[], states: ItemStates['states']): Promise<void> {
  const { store, team } = deps;
  for (const { kind, actor, item } of events) {
    const state = states.get(item.thread ?? '');
    if (!closing.has(kind) || !actor || !state || item.thread === undefined) continue;
    for (const { person } of await store.accounts.findByLogin(team, actor.login)) {
      const place = await directPlace(deps, person.user);
      if (place && (await store.threads.get(place, item.thread))) await followItem(store, place, item.thread, state);
    }
  }
}
