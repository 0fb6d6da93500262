import { startsToMatch } from '../feed/delivery.js';
import type { Event } from '../feed/event.js';
import { type LaneFinder, laneFinder } from '../feed/lanes.js';
import { type Routed, route } from '../feed/route.js';
import type { SourceAbout } from '../feed/sources/about.js';
import { type Source, sourceKey } from '../feed/sources/source.js';
import type { Decided, LoggedEvent, RoutingDecision } from '../store/index.js';
import type { ChecksWatch } from './checks-watch.js';
import { cardParcels, goesOn, runParcels } from './fanout/cards.js';
import { createFollowers } from './fanout/followers.js';
import { fitting, leaveOut } from './fanout/full.js';
import { inboxParcels } from './fanout/inbox.js';
import { incompleteEvent, noteIncomplete } from './fanout/incomplete.js';
import { createItemReader, type ItemStates, stateMatters } from './fanout/items.js';
import { followLinks, followOwn } from './fanout/own.js';
import { ownRunParcels } from './fanout/own-runs.js';
import { appendAll, type Parcel } from './fanout/parcels.js';
import type { FeedDeps } from './feed-deps.js';
import type { Gate } from './gate.js';
import type { RepoFacts } from './repo-facts.js';
import { createExplained } from './run-why.js';

/** Routes events into outboxes; safe to repeat and to run concurrently. */
export interface Fanout {
  /** A source's log; events just `written` are not read back. */
  run(source: Source, about: SourceAbout, written?: readonly LoggedEvent[]): Promise<void>;
  /** Events that were posted without their item: outboxes drop duplicates. `late`: stop waiting for it. */
  again(source: Source, about: SourceAbout, events: readonly Event[], late: boolean): Promise<RoutingResult>;
}

interface RoutingResult extends ItemStates {
  readonly parcels: readonly Parcel[];
}

export interface FanoutPorts {
  readonly repos: RepoFacts;
  readonly gate: Gate;
  readonly checks: Pick<ChecksWatch, 'follow'>;
}

const batch = 500;

export function createFanout(deps: FeedDeps, { repos, gate, checks }: FanoutPorts): Fanout {
  const { store } = deps;
  const followersOf = createFollowers(deps, { repos, gate });
  const readItems = createItemReader(deps);
  const explained = createExplained(deps);

  async function run(source: Source, about: SourceAbout, written?: readonly LoggedEvent[]): Promise<void> {
    const key = sourceKey(source);
    for (let from = 0; ; from += batch) {
      const rows = written?.slice(from, from + batch) ?? (await store.marks.unread(key, batch));
      const last = rows.at(-1);
      if (!last) return;
      const events = rows.map(eventOf);
      const parcels =
        source.kind === 'inbox'
          ? await fitting(store, await inboxParcels(deps, source, events))
          : (await routed(source, about, events)).parcels;
      const own = source.kind === 'runs' ? await fitting(store, await ownRunParcels(deps, gate, events)) : [];
      await appendAll(store, [...parcels, ...own]);
      await store.marks.advance(key, last.seq);
      if (rows.length < batch) return;
    }
  }

  return {
    run,
    async again(source, about, events, late) {
      const result = await routed(source, about, events, late);
      await appendAll(store, result.parcels);
      return result;
    },
  };

  async function routed(
    source: Source,
    about: SourceAbout,
    events: readonly Event[],
    late = false,
  ): Promise<RoutingResult> {
    const followers = await followersOf(source, about, events);
    const known = events.filter((event) => (followers.get(event.repo.id)?.length ?? 0) > 0);
    const wanted = known.filter((event) => !goesOn(event));
    const after = await runParcels(store, known, followers);
    const { states, unread } = await readItems(wanted.filter(stateMatters));
    const [now] = await Promise.all([
      withEarlier(wanted, states),
      noteIncomplete(deps, { source: sourceKey(source), about }, wanted, unread),
    ]);
    const lanes = laneFinder(store);
    const decide = (event: Event) => {
      const { thread = '' } = event.item;
      const known = {
        item: states.get(thread),
        defaultBranch: about.defaultBranch,
        unreadable: unread.has(thread),
        wait: unread.has(thread) && !late,
      };
      return { event, to: route(event, followers.get(event.repo.id) ?? [], known) };
    };
    const decided = await Promise.all(now.map((event) => explained(decide(event), decide)));
    const [kept, cards] = await Promise.all([
      Promise.all(decided.map(({ event, to }) => keep(event, to, lanes))),
      cardParcels(store, decided, states),
      followOwn(deps, now, states),
      followLinks(deps, now),
      checks.follow(decided, states),
    ]);
    await store.decisions.recordAll(kept.map(({ why }) => why));
    return { states, unread, parcels: [...kept.flatMap(({ parcels }) => parcels), ...cards, ...after] };
  }

  /** Events that waited for a now readable item go before later ones. */
  async function withEarlier(events: readonly Event[], read: ReadonlyMap<string, unknown>): Promise<readonly Event[]> {
    const before = (await store.incomplete.waiting([...read.keys()])).map(incompleteEvent);
    const had = new Set(events.map(({ id }) => id));
    return [...before.filter(({ id }) => !had.has(id)), ...events];
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
      const lane = delivery && (await lanes({ team: follower.team, channel: follower.channel }, event.repo.id));
      if (delivery && lane?.full) await leaveOut(store, lane.place, delivery.id);
      const full = lane?.full ? 'updates are paused here and too many are waiting' : undefined;
      const before = full ?? (startsToMatch(event) ? await shownAlready(event, each) : undefined);
      made.push({
        event: event.id,
        kind: event.kind,
        team: follower.team,
        channel: follower.channel,
        subscription: follower.id,
        kept: decision.keep && before === undefined,
        clause: before ?? decision.clause,
      });
      if (!delivery || !lane || before !== undefined) continue;
      parcels.push({
        place: lane.place,
        id: delivery.id,
        body: lane.calm ? { ...delivery.body, calm: true } : delivery.body,
      });
    }
    return { parcels, why: { address: event.item.url, made } };
  }

  /** An item the channel already shows does not start to match there. */
  async function shownAlready(event: Event, { follower, delivery }: Routed): Promise<string | undefined> {
    if (!delivery || !event.item.thread) return undefined;
    const { team, channel } = follower;
    return (await store.threads.get({ team, channel }, event.item.thread)) ? 'it is already shown here' : undefined;
  }
}

/** The log holds what the feed wrote into it. */
export function eventOf({ body }: LoggedEvent): Event {
  return body as Event; // written by the poller of this same program, versioned by `v`
}
