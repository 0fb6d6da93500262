import type { SourceAbout } from '../feed/sources/about.js';
import { splitFullName } from '../full-name.js';
import { type Subscription, subscriptionId } from '../store/index.js';
import { say } from '../view/message.js';
import { md } from '../view/text.js';
import type { Guard } from './deliver/guard.js';
import type { FeedDeps } from './feed-deps.js';
import type { RepositoryName, Sight } from './sight.js';

/** Handles a repository the bot's account cannot find; undefined once nothing is left to poll. */
export type Missing = (
  repo: RepositoryName,
  subs: readonly Subscription[],
  before: SourceAbout | undefined,
) => Promise<SourceAbout | undefined>;

interface MissingPorts {
  readonly sight: Sight;
  readonly guard: Pick<Guard, 'pause'>;
}

/** A forge being restored may answer like this for a moment. */
const sureAfterMs = 60_000;
const outOfReach = 'Bellows’ forge account can no longer read the repository. Give it access on the forge.';

/** Gone for all its owners: its subscriptions end. Only invisible to the bot: they pause. */
export function createMissing({ store, now, log }: FeedDeps, { sight, guard }: MissingPorts): Missing {
  /** Announced first, under a stable id: if interrupted in between, both are done again. */
  async function end(sub: Subscription, { fullName }: RepositoryName): Promise<void> {
    const words = md`${fullName} no longer exists on the forge, so its subscription in this channel ended.`;
    const id = `gone:${subscriptionId(sub)}:${sub.createdAt}`;
    await store.outbox.append(sub.place, [{ id, body: { type: 'message', message: say(words) } }]);
    await store.subscriptions.remove(sub);
  }

  return async (repo, subs, before) => {
    const seen = await Promise.all(subs.map((sub) => sight({ team: sub.place.team, user: sub.owner }, repo)));
    if (seen.includes(true)) {
      for (const sub of subs) await guard.pause(sub, outOfReach);
      return undefined;
    }
    const since = before?.missingSince ?? now();
    if (now() - since >= sureAfterMs) {
      log.warn({ repository: repo.fullName, id: repo.id }, 'a subscribed repository no longer exists');
      for (const sub of subs) await end(sub, repo);
      return undefined;
    }
    const { owner, repo: name } = splitFullName(repo.fullName);
    return { owner, name, ...before, readAt: now(), missingSince: since };
  };
}
