import { covers } from '../../feed/covers.js';
import type { Audience, AwaitedReview, EventDelivery, ReminderDelivery, ReminderPart } from '../../feed/delivery.js';
import { unitsOf } from '../../feed/event.js';
import { type Exposure, unfollowed } from '../../feed/exposure.js';
import { type Place, readSubscriptionId, type Store, type Subscription } from '../../store/index.js';
import type { FeedDeps } from '../feed-deps.js';
import type { Gate } from '../gate.js';
import type { LostChannels } from '../lost-channels.js';
import type { RepoFacts } from '../repo-facts.js';
import type { RepositoryName } from '../sight.js';
import type { Withholding } from '../subscription-state.js';

/** The subscription that shows this here: the one that brought it, or another of the channel if that one ended. */
async function responsible(
  { subscriptions }: Store,
  { ownerOf }: Pick<RepoFacts, 'ownerOf'>,
  subscription: string,
  repo: RepositoryName,
  actor: number | undefined,
): Promise<Subscription | undefined> {
  const where = readSubscriptionId(subscription);
  const brought = await subscriptions.get(where);
  if (brought) return brought;
  for (const sub of await subscriptions.inChannel(where.place)) {
    const { target, paused } = sub;
    if (paused) continue;
    if (target.kind === 'repo' && target.id === repo.id) return sub;
    if (target.kind === 'user' && target.id === actor) return sub;
    // by its id: the stored names of owners are not signed
    if (target.kind === 'owner' && covers(sub, repo.fullName) && target.id === (await ownerOf(repo))) return sub;
  }
  return undefined;
}

export type Guard = ReturnType<typeof createGuard>;

interface GuardPorts {
  readonly gate: Gate;
  readonly withholding: Withholding;
  readonly lost: LostChannels;
  readonly repos: Pick<RepoFacts, 'ownerOf'>;
}

/** The last check before anything is sent. */
export function createGuard(deps: FeedDeps, { gate, withholding, lost, repos }: GuardPorts) {
  const { store } = deps;

  /** As this subscription's owner; former owners are no longer responsible. */
  async function about(place: Place, { repo, subscription, units }: Audience, actor?: number): Promise<Exposure> {
    const sub = await responsible(store, repos, subscription, repo, actor);
    if (!sub) return unfollowed;
    const person = { team: sub.place.team, user: sub.owner };
    return gate.check(place, repo, { person, units });
  }

  return {
    /** This channel takes no messages for now. */
    lose: lost.lose,

    about,

    /** Personal notifications were read as that person; everything else passes the gate. */
    event: async (place: Place, { event, subscription }: EventDelivery): Promise<Exposure> =>
      subscription === undefined
        ? { allowed: true }
        : about(place, { repo: event.repo, subscription, units: unitsOf(event) }, event.actor?.id),

    /** In a direct message, the account it is checked with says enough. */
    review: async (place: Place, { repo, by }: AwaitedReview): Promise<boolean> =>
      place.channel.startsWith('D') || (await gate.check(place, repo, { person: by, units: ['pulls'] })).allowed,

    /** The parts of a reminder that may be shown now, as its creator. */
    async reminder(place: Place, { owner, parts }: ReminderDelivery): Promise<readonly ReminderPart[]> {
      const by = { person: { team: place.team, user: owner }, units: ['pulls'] } as const;
      const allowed = await Promise.all(parts.map(({ repo }) => gate.check(place, repo, by)));
      return parts.filter((_part, index) => allowed[index]?.allowed);
    },

    /** What must not be shown here is not posted. A pattern continues without it; a subscription to just that stops. */
    async withhold(
      { team, channel }: Place,
      { event, subscription }: EventDelivery,
      refused: Extract<Exposure, { allowed: false }>,
    ): Promise<void> {
      deps.count('withheld');
      const clause = `it may not be shown here: ${refused.words}`;
      const made = [{ team, channel, kept: false, clause, ...(subscription && { subscription }) }];
      await store.decisions.record([{ address: event.item.url, event: event.id, kind: event.kind, made }]);
      const sub = subscription && (await store.subscriptions.get(readSubscriptionId(subscription)));
      // the rest of the repository goes on
      if (sub && refused.reason !== 'unread') await withholding.withhold(sub, event.repo, refused);
    },
  };
}
