import type { EventDelivery } from '../feed/delivery.js';
import { isLane } from '../feed/lanes.js';
import type { Lease, OutboxEntry, OutboxView, Place } from '../store/index.js';
import type { Guard } from './deliver-guard.js';
import { bodyOf, createPlanner, isEvent, type Plan } from './deliver-plan.js';
import type { FeedDeps } from './feed-deps.js';

/** One look at an outbox by whoever holds its lease. */
export interface Turn {
  readonly place: Place;
  readonly token: Lease;
  readonly view: OutboxView;
}

type EventEntry = OutboxEntry & { readonly told: EventDelivery };

const eventsOf = (entries: readonly OutboxEntry[]): EventEntry[] =>
  entries.flatMap((entry) => {
    const told = bodyOf(entry);
    return isEvent(told) ? [{ ...entry, told }] : [];
  });

/** What goes out next, and in which form. */
export function createChooser(deps: FeedDeps, guard: Guard) {
  const { store, policy } = deps;
  const planner = createPlanner(deps);

  /** The outbox goes on without them; a begun post is settled with them. */
  async function drop({ place, token, view }: Turn, id: string): Promise<undefined> {
    await (view.intent ? store.outbox.done(place, token, view.intent.id) : store.outbox.drop(place, token, [id]));
    return undefined;
  }

  /** Undefined when the entry was dropped instead. */
  async function single(turn: Turn, entry: OutboxEntry): Promise<Plan | undefined> {
    const { place } = turn;
    const body = bodyOf(entry);
    if (body.type === 'update') return (await planner.update(place, entry, body)) ?? drop(turn, entry.id);
    if (body.type === 'message') {
      const refused = body.repo && !(await guard.check(place, body.repo)).allowed;
      return refused ? drop(turn, entry.id) : planner.message(place, entry, body);
    }
    const allowed = await guard.check(place, body.event.repo);
    if (allowed.allowed) return planner.event(place, entry, body);
    await guard.withhold(place, body, allowed);
    return drop(turn, entry.id);
  }

  const waiting = ({ view }: Turn): number => eventsOf(view.entries).length + view.size - view.entries.length;

  /** Events that go out as one: a long backlog, or what gathered while the channel was left in peace. */
  async function together({ place, view: { entries } }: Turn): Promise<EventEntry[]> {
    const stop = entries.findIndex((entry) => bodyOf(entry).type === 'message');
    const events = eventsOf(stop === -1 ? entries : entries.slice(0, stop));
    const loud = events.findIndex(({ told }) => !told.calm);
    const quiet = loud === -1 ? events : events.slice(0, loud);
    const many = events.length > policy.feed.digestAbove || isLane(place) ? events : quiet;
    return permitted(place, many);
  }

  /** What may not be shown is left for `single`, which withholds it. */
  async function permitted(place: Place, events: readonly EventEntry[]): Promise<EventEntry[]> {
    const repos = new Map(events.map(({ told }) => [told.event.repo.id, told.event.repo]));
    const refused = new Set<number>();
    for (const repo of repos.values()) if (!(await guard.check(place, repo)).allowed) refused.add(repo.id);
    return events.filter(({ told }) => !refused.has(told.event.repo.id));
  }

  /** A digest that was begun is posted as it was, or given up for what may be shown now. */
  async function sameDigest(turn: Turn, entries: readonly OutboxEntry[], posted: boolean): Promise<Plan | undefined> {
    const { place, token, view } = turn;
    const events = eventsOf(entries);
    const plan = await planner.digest(place, events, waiting(turn));
    if (posted || ((await permitted(place, events)).length === events.length && plan.entries.length === events.length))
      return plan;
    await store.outbox.again(place, token, view.intent?.id ?? '');
    return undefined;
  }

  return {
    single,

    async next(turn: Turn): Promise<Plan | undefined> {
      const [first] = turn.view.entries;
      if (!first) return undefined;
      const many = bodyOf(first).type === 'message' ? [] : await together(turn);
      const joined = many.length > (isLane(turn.place) ? 0 : 1);
      return joined ? planner.digest(turn.place, many, waiting(turn)) : single(turn, first);
    },

    /** The same plan for a post that was begun before, and that may be there already. */
    async again(
      turn: Turn,
      kind: Plan['kind'],
      entries: readonly OutboxEntry[],
      posted: boolean,
    ): Promise<Plan | undefined> {
      const [first] = entries;
      if (kind === 'digest') return sameDigest(turn, entries, posted);
      return first && single(turn, first);
    },
  };
}
