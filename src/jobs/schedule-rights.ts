import { ApiError } from '../forge/index.js';
import type { Subscription } from '../store/index.js';
import type { Guard } from './deliver-guard.js';
import type { FeedDeps } from './feed-deps.js';

const dayMs = 24 * 3_600_000;

/** Reads use the bot's account, so once a day each owner's own right to see what they follow is looked at again. */
export function createRights({ store, as, now, log }: FeedDeps, guard: Guard): () => Promise<void> {
  return async () => {
    for await (const { subscription, name } of store.subscriptions.each()) {
      if (subscription.paused || now() - (subscription.checkedAt ?? subscription.createdAt) < dayMs) continue;
      try {
        await look(subscription, name);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        log.warn({ repository: name, reason: error.message }, 'a right to see could not be checked');
      }
    }
  };

  async function look(sub: Subscription, name: string): Promise<void> {
    const api = await as({ team: sub.place.team, user: sub.owner });
    if (!api || sub.target.kind !== 'repo') return;
    const [owner = '', repo = ''] = name.split('/');
    try {
      await api.repos.get({ owner, repo });
      await store.subscriptions.change(sub, { checkedAt: now() });
    } catch (error) {
      const lost =
        error instanceof ApiError && !error.unsupported && (error.kind === 'notFound' || error.kind === 'forbidden');
      if (!lost) throw error;
      await guard.pause(sub, 'Its owner may not see the repository any more. Let somebody who may take it over.');
    }
  }
}
