import { splitFullName } from '../full-name.js';
import { asksForItem, type Decision, decide, type Known } from './decide.js';
import { deliveryId, type EventDelivery } from './delivery.js';
import type { Event } from './event.js';
import { type Filter, settingOf } from './filter.js';
import { matches } from './glob.js';

/** The clause of a decision. */
export const postedBefore = 'already posted by another subscription of this channel';

/** A subscription as routing sees it. */
export interface Follower {
  readonly id: string;
  readonly team: string;
  readonly channel: string;
  readonly filter: Filter;
  /** For `owner/*`: a glob over the owner's repository names. */
  readonly pattern?: string;
  readonly paused?: string;
  /** The subscriber's forge login. */
  readonly subscriber?: string;
}

export interface Routed {
  readonly follower: Follower;
  readonly decision: Decision;
  /** Absent: not posted. */
  readonly delivery?: { readonly id: string; readonly body: EventDelivery };
}

export interface Knowledge extends Omit<Known, 'subscriber'> {
  /** It may be readable soon: subscriptions whose filter needs it get the event then. */
  readonly wait?: boolean;
}

/** Who gets this event, and why or why not. A channel with two matching subscriptions gets it once. */
export function route(event: Event, followers: readonly Follower[], known: Knowledge): Routed[] {
  const name = splitFullName(event.repo.fullName).repo;
  const notified = new Set<string>();
  const routed: Routed[] = [];
  for (const follower of followers) {
    if (follower.pattern !== undefined && !matches(follower.pattern, name)) continue;
    const decision = judge(follower, event, known);
    const place = `${follower.team}/${follower.channel}`;
    if (!decision.keep) routed.push({ follower, decision });
    else if (notified.has(place))
      routed.push({
        follower,
        decision: { ...decision, keep: false, clause: postedBefore },
      });
    else {
      notified.add(place);
      routed.push({
        follower,
        decision,
        delivery: { id: deliveryId(event), body: bodyOf(follower, event, decision, known) },
      });
    }
  }
  return routed;
}

function judge(follower: Follower, event: Event, known: Knowledge): Decision {
  const decision = decide(follower.filter, event, { ...known, subscriber: follower.subscriber });
  if (known.wait && decision.keep && follower.paused === undefined && asksForItem(follower.filter, event))
    return { ...decision, keep: false, clause: 'the forge has not reported its state yet' };
  return follower.paused === undefined
    ? decision
    : { ...decision, keep: false, clause: `the subscription is paused: ${follower.paused}` };
}

const bodyOf = (follower: Follower, event: Event, decision: Decision, known: Knowledge): EventDelivery => ({
  type: 'event',
  event,
  ...(known.item && { item: known.item }),
  subscription: follower.id,
  style: decision.style,
  threaded: settingOf(follower.filter, 'thread') !== 'off',
});

export interface Preview {
  /** Messages it would have posted. */
  readonly kept: readonly Event[];
  readonly dropped: number;
  readonly bots: number;
}

/** What a filter would have posted of these events; used to preview subscriptions. */
export function preview(events: readonly Event[], filter: Filter, known: (event: Event) => Known): Preview {
  const kept = events.filter((event) => decide(filter, event, known(event)).keep);
  return { kept, dropped: events.length - kept.length, bots: events.filter((event) => event.actor?.bot).length };
}
