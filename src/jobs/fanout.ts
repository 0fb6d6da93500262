import { type EventDelivery, startsToMatch } from '../feed/delivery.js';
import type { Event, RepoRef } from '../feed/event.js';
import { Filter } from '../feed/filter.js';
import { type LaneFinder, laneFinder } from '../feed/lanes.js';
import { type Follower, type Routed, route } from '../feed/route.js';
import { type Source, sourceKey } from '../feed/sources/source.js';
import {
  type Decided,
  type LoggedEvent,
  type Place,
  type RoutingDecision,
  type Subscription,
  subscriptionId,
} from '../store/index.js';
import { inboxDelivery } from './fanout-inbox.js';
import { itemStates, stateMatters } from './fanout-items.js';
import { createSight } from './fanout-sight.js';
import type { FeedDeps } from './feed-deps.js';
import type { RepoFacts } from './repo-facts.js';
import type { SourceAbout } from './sources.js';

/** Empties a source's log into outboxes; safe to repeat and to run twice at once. What was just `written` is not read back. */
export type Fanout = (source: Source, about: SourceAbout, written?: readonly LoggedEvent[]) => Promise<void>;

export interface FanoutPorts {
  readonly repos: RepoFacts;
  /** A hint that an outbox holds something. */
  wake(place: Place): Promise<void>;
}

interface Parcel {
  readonly place: Place;
  readonly id: string;
  readonly body: EventDelivery;
}

const batch = 500;

export function createFanout(deps: FeedDeps, { repos, wake }: FanoutPorts): Fanout {
  const { store, log } = deps;
  const logins = new Map<string, string | undefined>();
  const sight = createSight(deps);

  return async (source, about, written) => {
    const key = sourceKey(source);
    for (let from = 0; ; from += batch) {
      const rows = written?.slice(from, from + batch) ?? (await store.marks.unread(key, batch));
      const last = rows.at(-1);
      if (!last) return;
      const events = rows.map(eventOf);
      const parcels = source.kind === 'inbox' ? await inbox(source, events) : await routed(source, about, events);
      const places = await append(parcels);
      await Promise.all([store.marks.advance(key, last.seq), ...places.map(wake)]);
      if (rows.length < batch) return;
    }
  };

  async function inbox(
    person: { readonly team: string; readonly user: string },
    events: readonly Event[],
  ): Promise<Parcel[]> {
    const delivery = await inboxDelivery(deps, person, events);
    return delivery ? delivery.bodies.map((body) => ({ place: delivery.place, id: body.event.id, body })) : [];
  }

  async function routed(source: Source, about: SourceAbout, events: readonly Event[]): Promise<Parcel[]> {
    const followers = await followersOf(source, about, events);
    const wanted = events.filter((event) => (followers.get(event.repo.id)?.length ?? 0) > 0);
    const states = await itemStates(deps, wanted.filter(stateMatters));
    const lanes = laneFinder(store);
    const decided = wanted.map((event) => {
      const item = event.item.thread === undefined ? undefined : states.get(event.item.thread);
      return {
        event,
        to: route(event, followers.get(event.repo.id) ?? [], { item, defaultBranch: about.defaultBranch }),
      };
    });
    const kept = await Promise.all(decided.map(({ event, to }) => keep(event, to, lanes)));
    await store.decisions.recordAll(kept.map(({ why }) => why));
    return kept.flatMap(({ parcels }) => parcels);
  }

  async function keep(
    event: Event,
    decided: readonly Routed[],
    lanes: LaneFinder,
  ): Promise<{ readonly parcels: readonly Parcel[]; readonly why: Decided }> {
    const parcels: Parcel[] = [];
    const made: Omit<RoutingDecision, 'at'>[] = [];
    for (const each of decided) {
      const { follower, decision, delivery } = each;
      const before = startsToMatch(event) ? await shownAlready(event, each) : undefined;
      made.push({
        event: event.id,
        kind: event.kind,
        team: follower.team,
        channel: follower.channel,
        subscription: follower.id,
        kept: decision.keep && before === undefined,
        clause: before ?? decision.clause,
      });
      if (!delivery || before !== undefined) continue;
      const lane = await lanes({ team: follower.team, channel: follower.channel }, event.repo.id);
      parcels.push({
        place: lane.place,
        id: delivery.id,
        body: lane.calm ? { ...delivery.body, calm: true } : delivery.body,
      });
    }
    return { parcels, why: { address: event.item.url, made } };
  }

  /** What a channel shows already does not begin to match there. */
  async function shownAlready(event: Event, { follower, delivery }: Routed): Promise<string | undefined> {
    if (!delivery || !event.item.thread) return undefined;
    const { team, channel } = follower;
    return (await store.threads.get({ team, channel }, event.item.thread)) ? 'shown here before' : undefined;
  }

  async function followersOf(
    source: Source,
    about: SourceAbout,
    events: readonly Event[],
  ): Promise<Map<number, Follower[]>> {
    const found = new Map<number, Follower[]>();
    for (const { repo } of events) {
      if (found.has(repo.id)) continue;
      const subs =
        source.kind === 'user'
          ? await store.subscriptions.of({ kind: 'user', id: source.id })
          : await store.subscriptions.candidates(repo.id, await ownerId(about, repo.fullName));
      found.set(repo.id, (await Promise.all(subs.map((sub) => followerOf(sub, repo)))).flat());
    }
    return found;
  }

  async function ownerId(about: SourceAbout, fullName: string): Promise<number> {
    if (about.ownerId !== undefined) return about.ownerId;
    return (await repos.read(fullName))?.owner?.id ?? 0;
  }

  async function followerOf(sub: Subscription, repo: RepoRef): Promise<Follower[]> {
    const filter = Filter.safeParse(sub.filter);
    const id = subscriptionId(sub);
    if (!filter.success) {
      log.error({ subscription: id }, 'a subscription cannot be read; write it anew');
      return [];
    }
    const subscriber = filter.data.self === 'off' ? await loginOf(sub) : undefined;
    const paused = sub.paused?.reason ?? (await sight(sub, repo));
    return [
      {
        id,
        ...sub.place,
        filter: filter.data,
        ...(sub.target.kind === 'owner' && { pattern: sub.target.pattern }),
        ...(paused !== undefined && { paused }),
        ...(subscriber !== undefined && { subscriber }),
      },
    ];
  }

  async function loginOf({ place, owner }: Subscription): Promise<string | undefined> {
    const key = `${place.team}/${owner}`;
    if (!logins.has(key)) logins.set(key, await deps.people.loginOf({ team: place.team, user: owner }));
    return logins.get(key);
  }

  async function append(parcels: readonly Parcel[]): Promise<Place[]> {
    const byPlace = new Map<
      string,
      { readonly place: Place; readonly entries: { id: string; body: EventDelivery }[] }
    >();
    for (const { place, id, body } of parcels) {
      const name = `${place.team}/${place.channel}`;
      const group = byPlace.get(name) ?? { place, entries: [] };
      group.entries.push({ id, body });
      byPlace.set(name, group);
    }
    const groups = [...byPlace.values()];
    await Promise.all(groups.map(({ place, entries }) => store.outbox.append(place, entries)));
    return groups.map(({ place }) => place);
  }
}

/** The log holds what the feed wrote into it. */
function eventOf({ body }: LoggedEvent): Event {
  return body as Event; // written by the poller of this same program, versioned by `v`
}

/** Plain JSON, as the store wants it. */
export const plain = (body: object) => JSON.parse(JSON.stringify(body));
