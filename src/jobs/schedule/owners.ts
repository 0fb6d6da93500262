import { LRUCache } from 'lru-cache';
import { mostOfOwner } from '../../domain/subscriptions/find-target.js';
import { aboutOf } from '../../domain/subscriptions/watch.js';
import type { SourceAbout } from '../../feed/sources/about.js';
import { sourceKey } from '../../feed/sources/source.js';
import type { FeedDeps } from '../feed-deps.js';
import { createStrange } from '../strange.js';

const ownersRemembered = 1_000;

/** Repositories by id, with how to poll each. */
export type Repositories = ReadonlyMap<number, SourceAbout>;

/** An owner's repositories in a few pages. Listed again when a feed shows a change, and now and then. */
export function createOwnerLists({ service, policy, now, log }: FeedDeps) {
  const strange = createStrange(log);
  const lists = new LRUCache<number, { readonly at: number; readonly repos: Repositories }>({ max: ownersRemembered });
  // a repository in no feed is found as soon as its rows would be
  const freshMs = policy.feed.idleSeconds * 1_000;

  return async (owner: number, changedAt: number): Promise<Repositories> => {
    const before = lists.get(owner);
    if (before && before.at > changedAt && now() - before.at < freshMs) return before.repos;
    const repos = new Map<number, SourceAbout>();
    const at = now();
    for await (const repo of service.repos.search.each(
      { query: { uid: owner, exclusive: true } },
      { max: mostOfOwner, strange: strange(sourceKey({ kind: 'owner', id: owner })) },
    ))
      repos.set(repo.id, aboutOf(repo, at));
    lists.set(owner, { at, repos });
    return repos;
  };
}
