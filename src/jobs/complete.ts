import { unitsOf } from '../feed/event.js';
import { realPlace } from '../feed/lanes.js';
import { SourceAbout } from '../feed/sources/about.js';
import { readSource } from '../feed/sources/source.js';
import { plainJson } from '../store/index.js';
import { incompleteEvent } from './fanout/incomplete.js';
import type { Parcel } from './fanout/parcels.js';
import type { Fanout } from './fanout.js';
import type { FeedDeps } from './feed-deps.js';

/** Filters that need an item wait this long for it, then it is posted anyway. */
const waitMs = 60_000;
const giveUpMs = 24 * 3_600_000;
const atOnce = 20;

/** The card passes the same gate as the event: it may be hidden from the channel by now. */
const audienceOf = (body: Parcel['body']) =>
  body.type === 'event' && body.subscription !== undefined
    ? { of: { repo: body.event.repo, subscription: body.subscription, units: unitsOf(body.event) } }
    : {};

/** Retries items that could not be read: posts the events that waited and completes existing cards. */
export function createComplete({ store }: FeedDeps, { fanout }: { readonly fanout: Fanout }) {
  return async (): Promise<void> => {
    for (const { item, ageMs, rows } of await store.incomplete.due(atOnce)) {
      const [first] = rows;
      const source = first && readSource(first.source);
      const about = SourceAbout.safeParse(first?.about);
      const done = () =>
        store.incomplete.remove(
          item,
          rows.map(({ id }) => id),
        );
      if (!source || !about.success || ageMs > giveUpMs) {
        await done();
        continue;
      }
      const { states, unread, parcels } = await fanout.again(
        source,
        about.data,
        rows.map(incompleteEvent),
        ageMs >= waitMs,
      );
      if (unread.has(item)) continue;
      const state = states.get(item);
      for (const { place, body } of state ? new Map(parcels.map((each) => [each.place.channel, each])).values() : []) {
        const card = { id: `update:${item}:read:${ageMs}`, card: `update:${item}` };
        const update = { type: 'update', thread: item, item: state, ...audienceOf(body) };
        await store.outbox.append(realPlace(place), [{ ...card, body: plainJson(update) }]);
      }
      await done();
    }
  };
}
