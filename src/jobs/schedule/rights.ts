import { titleOf } from '../../domain/subscriptions/titles.js';
import { ifAnswered } from '../../forge/possible.js';
import { type Subscription, subscriptionId } from '../../store/index.js';
import { code, md } from '../../view/text.js';
import type { Guard } from '../deliver/guard.js';
import type { FeedDeps } from '../feed-deps.js';
import { tell } from '../tell.js';
import { visible } from '../visible.js';

const dayMs = 24 * 3_600_000;

const lostSight = 'Its owner can no longer see the repository. Someone who can see it needs to take it over.';
const unlinked = 'Its owner has had no linked account for a day. Someone with a linked account needs to take it over.';

/** Polling uses the bot's account, so each owner's own access to what they follow is checked once a day. */
export function createRights({ store, as, now, log, slash }: FeedDeps, guard: Guard): () => Promise<void> {
  return async () => {
    for await (const { subscription, name } of store.subscriptions.each()) {
      if (subscription.paused || now() - lastSure(subscription) < dayMs) continue;
      await ifAnswered(look(subscription, name), ({ message }) =>
        log.warn({ repository: name, reason: message }, 'could not check whether a person can see a repository'),
      );
    }
  };

  async function look(sub: Subscription, name: string): Promise<void> {
    const api = await as({ team: sub.place.team, user: sub.owner });
    if (!api) {
      // checked daily while it worked, so after two days it has been missing for one
      if (now() - lastSure(sub) >= 2 * dayMs) await stop(sub, name, unlinked);
      return;
    }
    const named = sub.target.kind === 'repo';
    const found = named ? await visible(name, api) : undefined;
    if (named && !found) return stop(sub, name, lostSight);
    const known = found?.id === sub.target.id ? { name: found.full_name } : {};
    await store.subscriptions.change(sub, { checkedAt: now(), ...known });
  }

  /** The channel is notified first, under a stable id: if interrupted in between, both are done again. */
  async function stop(sub: Subscription, name: string, reason: string): Promise<void> {
    const title = titleOf(sub.target, name);
    const words = md`Updates on ${title} are paused. ${reason} To resume, run ${code(`${slash} subscribe ${title}`)}.`;
    const id = `stopped:${subscriptionId(sub)}:${lastSure(sub)}`;
    await tell(store, sub.place, id, words);
    await guard.pause(sub, reason);
  }
}

/** When the owner was last known to have access. */
const lastSure = ({ checkedAt, createdAt }: Subscription): number => checkedAt ?? createdAt;
