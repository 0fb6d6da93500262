import type { Context } from '../../chat/context.js';
import { isLane, realPlace } from '../../feed/lanes.js';
import type { OutboxView, Place } from '../../store/index.js';

export interface Waiting {
  readonly place: Place;
  /** A muted repository beside its channel. */
  readonly lane: boolean;
  readonly view: OutboxView;
}

const most = 500;

/** What waits to be posted: here, or everywhere. */
export async function waiting(all: boolean, here: Place | undefined, { store }: Context): Promise<Waiting[]> {
  const same = (place: Place) => place.team === here?.team && realPlace(place).channel === here.channel;
  const pending = (await store.outbox.pending()).filter((place) => all || same(place));
  const places = here && !pending.some((place) => same(place) && !isLane(place)) ? [here, ...pending] : pending;
  return Promise.all(
    places.slice(0, most).map(async (place) => ({ place, lane: isLane(place), view: await store.outbox.view(place) })),
  );
}
