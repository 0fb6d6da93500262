import { LRUCache } from 'lru-cache';
import type { RepoRef } from '../feed/event.js';
import { ApiError } from '../forge/index.js';
import type { Subscription } from '../store/index.js';
import type { FeedDeps } from './feed-deps.js';

const yesMs = 24 * 3_600_000;
const noMs = 10 * 60_000;

/** Why this subscription is told nothing of this repository; undefined where its owner may see it. */
export type Sight = (sub: Subscription, repo: RepoRef) => Promise<string | undefined>;

/**
 * Reads use the bot's own account. What a pattern or a person's feed brings in from a private repository is told only
 * where the subscription's owner may see that repository too.
 */
export function createSight({ as }: Pick<FeedDeps, 'as'>): Sight {
  const known = new LRUCache<string, { readonly sees: boolean }>({ max: 10_000 });

  return async ({ target, place, owner }, repo) => {
    // A repository named itself was checked when subscribing, and is daily.
    if (!repo.private || target.kind === 'repo') return undefined;
    const key = `${place.team}/${owner} ${repo.id}`;
    const cached = known.get(key);
    const sees = cached?.sees ?? (await looks({ team: place.team, user: owner }, repo));
    if (!cached) known.set(key, { sees }, { ttl: sees ? yesMs : noMs });
    return sees ? undefined : 'its owner may not see this repository';
  };

  async function looks(
    person: { readonly team: string; readonly user: string },
    { fullName }: RepoRef,
  ): Promise<boolean> {
    const api = await as(person);
    if (!api) return false;
    const [owner = '', repo = ''] = fullName.split('/');
    try {
      await api.repos.get({ owner, repo });
      return true;
    } catch (error) {
      // Where it cannot be known it is not shown; a forge that is down is asked again with the next try.
      if (error instanceof ApiError && (error.kind === 'notFound' || error.kind === 'forbidden')) return false;
      throw error;
    }
  }
}
