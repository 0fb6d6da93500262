import type { Context } from '../../chat/context.js';
import { isLane, lanePlace, realPlace } from '../../feed/lanes.js';
import type { OutboxView, Place, Subscription } from '../../store/index.js';

export interface Waiting {
  readonly place: Place;
  /** The separate queue of a muted repository. */
  readonly lane: boolean;
  readonly view: OutboxView;
  /** Slack's error codes for messages it refused in every form. */
  readonly codes: readonly string[];
}

const most = 500;

/** What is queued and what is muted, here or everywhere. */
export async function waiting(
  all: boolean,
  here: Place | undefined,
  subs: readonly Subscription[],
  { store }: Context,
): Promise<Waiting[]> {
  const pending = [...(await store.outbox.pending()), ...(await store.outbox.withAside())];
  const own = here ? [here, ...subs.map(({ target }) => lanePlace(here, target.id))] : [];
  const places = new Map<string, Place>();
  for (const place of [...own, ...pending])
    if (all || (here && realPlace(place).channel === here.channel && place.team === here.team))
      places.set(`${place.team}/${place.channel}`, place);
  return Promise.all(
    [...places.values()].slice(0, most).map(async (place) => {
      const view = await store.outbox.view(place);
      const codes = view.aside > 0 ? (await store.outbox.asideIn(place)).map(({ code }) => code) : [];
      return { place, lane: isLane(place), view, codes: [...new Set(codes)] };
    }),
  );
}
