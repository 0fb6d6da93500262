import type { EventDelivery } from '../../feed/delivery.js';
import { unitsOf } from '../../feed/event.js';
import { isLane, realPlace } from '../../feed/lanes.js';
import { PostError } from '../../feed/ports.js';
import type { OutboxEntry, Place } from '../../store/index.js';
import type { FeedDeps } from '../feed-deps.js';
import { reminderMessage } from '../remind/draw.js';
import { bodyOf, isEvent, isWhole } from './body.js';
import type { Guard } from './guard.js';
import { createPlanner, type Plan } from './plan.js';
import { again, type Turn, troubleOf } from './turn.js';

type EventEntry = OutboxEntry & { readonly delivery: EventDelivery };

const eventsOf = (entries: readonly OutboxEntry[]): EventEntry[] =>
  entries.flatMap((entry) => {
    const delivery = bodyOf(entry);
    return isEvent(delivery) ? [{ ...entry, delivery }] : [];
  });

/** Chooses what is sent next, and in which form. */
export function createChooser(deps: FeedDeps, guard: Guard) {
  const { store, policy } = deps;
  const planner = createPlanner(deps);

  /** Drops the entry; a post that was begun ends with it. */
  async function drop({ place, token, view }: Turn, id: string): Promise<undefined> {
    await (view.intent ? store.outbox.done(place, token, view.intent.id) : store.outbox.drop(place, token, [id]));
    return undefined;
  }

  /** Undefined if the entry was dropped instead. */
  async function single(turn: Turn, entry: OutboxEntry): Promise<Plan | undefined> {
    const { place } = turn;
    const body = bodyOf(entry);
    if (body.type === 'update' || body.type === 'message') {
      const shown = !body.of || (await guard.about(place, body.of)).allowed;
      if (!shown) return drop(turn, entry.id);
      if (body.type === 'message') return planner.message(place, entry, body);
      return (await planner.update(place, entry, body)) ?? drop(turn, entry.id);
    }
    if (body.type === 'reminder') {
      const parts = await guard.reminder(place, body);
      if (parts.length === 0) return drop(turn, entry.id);
      return planner.message(place, entry, { type: 'message', message: reminderMessage(parts) });
    }
    if (await isEcho(place, body)) return drop(turn, entry.id);
    const allowed = await guard.event(place, body);
    if (allowed.allowed) return planner.event(place, entry, body);
    // that is about the channel, not this entry: everything waits
    if (allowed.reason === 'shared') throw new PostError('channel', 'shared');
    await guard.withhold(place, body, allowed);
    return drop(turn, entry.id);
  }

  /** Whether a comment came from a reply in this channel's thread; while a reply is being posted, nobody can tell yet. */
  async function isEcho(place: Place, { event }: EventDelivery): Promise<boolean> {
    if (!('comment' in event) || event.comment === undefined || event.item.thread === undefined) return false;
    const real = realPlace(place);
    if (await store.replies.isFromHere(real, event.comment)) return true;
    if (await store.replies.isUnderWay(real, event.item.thread)) throw new PostError('unknown', 'reply_under_way');
    return false;
  }

  const waiting = ({ view }: Turn): number => eventsOf(view.entries).length + view.size - view.entries.length;

  /** Events sent as one: a long backlog, or what piled up while the channel was paused. */
  async function together({ place, view: { entries } }: Turn): Promise<EventEntry[]> {
    const stop = entries.findIndex((entry) => isWhole(bodyOf(entry)));
    const events = eventsOf(stop === -1 ? entries : entries.slice(0, stop));
    const loud = events.findIndex(({ delivery }) => !delivery.calm);
    const quiet = loud === -1 ? events : events.slice(0, loud);
    // a channel that is back gets everything it missed at once
    const back = events.length > 1 && (await store.lostChannels.has(realPlace(place)));
    const many = events.length > policy.feed.digestAbove || isLane(place) || back ? events : quiet;
    return permitted(place, many);
  }

  /** Entries that may not be shown are left for `single`, which withholds them. */
  async function permitted(place: Place, events: readonly EventEntry[]): Promise<EventEntry[]> {
    const alike = ({ subscription, event }: EventDelivery) =>
      `${event.repo.id} ${unitsOf(event)} ${subscription ?? ''}`;
    const refused = new Set<string>();
    for (const [key, delivery] of new Map(events.map(({ delivery }) => [alike(delivery), delivery])))
      if (!(await guard.event(place, delivery)).allowed) refused.add(key);
    const shown = events.filter(({ delivery }) => !refused.has(alike(delivery)));
    const echoes = await Promise.all(shown.map(({ delivery }) => isEcho(place, delivery)));
    return shown.filter((_, at) => !echoes[at]);
  }

  /** A digest that was begun is posted unchanged, or replaced by what may be shown now. */
  async function sameDigest(turn: Turn, entries: readonly OutboxEntry[], posted: boolean): Promise<Plan | undefined> {
    const { place, view, alone } = turn;
    const recompose = async (): Promise<undefined> => {
      await again(store, turn, view.intent?.id ?? '');
      return undefined;
    };
    if (alone && !posted) return recompose();
    const events = eventsOf(entries);
    const plan = await planner.digest(place, events, waiting(turn));
    if (posted || ((await permitted(place, events)).length === events.length && plan.entries.length === events.length))
      return plan;
    return recompose();
  }

  return {
    async next(turn: Turn): Promise<Plan | undefined> {
      const [first] = turn.view.entries;
      if (!first) return undefined;
      const most = troubleOf(turn.view, first.id)?.most;
      const many = turn.alone || isWhole(bodyOf(first)) ? [] : (await together(turn)).slice(0, most);
      const joined = many.length > (isLane(turn.place) && most === undefined ? 0 : 1);
      return joined ? planner.digest(turn.place, many, waiting(turn)) : single(turn, first);
    },

    /** The same plan for a post that was begun before and may already be there. */
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
