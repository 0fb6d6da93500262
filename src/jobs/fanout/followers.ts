import type { Event, RepoRef } from '../../feed/event.js';
import { Filter } from '../../feed/filter.js';
import type { Follower } from '../../feed/route.js';
import type { SourceAbout } from '../../feed/sources/about.js';
import type { Source } from '../../feed/sources/source.js';
import { type Subscription, subscriptionId } from '../../store/index.js';
import type { FeedDeps } from '../feed-deps.js';
import type { Gate } from '../gate.js';
import { createRemembered } from '../remembered.js';
import type { RepoFacts } from '../repo-facts.js';

interface FollowerPorts {
  readonly repos: RepoFacts;
  readonly gate: Gate;
}

/** The followers of these events' repositories, as routing needs them. */
export function createFollowers(deps: FeedDeps, { repos, gate }: FollowerPorts) {
  const { store, log, people } = deps;
  const logins = createRemembered<string | undefined>(deps.now);

  return async function followersOf(
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
  };

  async function ownerId(about: SourceAbout, fullName: string): Promise<number> {
    if (about.ownerId !== undefined) return about.ownerId;
    return (await repos.read(fullName))?.owner?.id ?? 0;
  }

  async function followerOf(sub: Subscription, repo: RepoRef): Promise<Follower[]> {
    const filter = Filter.safeParse(sub.filter);
    const id = subscriptionId(sub);
    if (!filter.success) {
      log.error({ subscription: id }, 'a subscription cannot be read; create it again');
      return [];
    }
    const subscriber = filter.data.self === 'off' ? await loginOf(sub) : undefined;
    const paused = sub.paused?.reason ?? (await gate.unseen(sub, repo));
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

  function loginOf({ place: { team }, owner }: Subscription): Promise<string | undefined> {
    return logins(`${team}/${owner}`, () => people.loginOf({ team, user: owner }));
  }
}
