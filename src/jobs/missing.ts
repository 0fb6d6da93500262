import { notify } from '../chat/notice.js';
import type { SourceAbout } from '../feed/sources/source.js';
import { isRefused } from '../forge/possible.js';
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

/** An account that the forge refuses says nothing about the repository, like no account at all. */
const unknownIfRefused = (error: unknown): undefined => {
  if (!isRefused(error)) throw error;
};

/** Gone for all its owners: its subscriptions end. Only invisible to the bot: they pause. */
export function createMissing({ store, now, log }: FeedDeps, { sight, guard }: MissingPorts): Missing {
  /** Announced first, under a stable id: if interrupted in between, both are done again. */
  async function end(sub: Subscription, { fullName }: RepositoryName): Promise<void> {
    const words = md`${fullName} no longer exists on the forge, so its subscription in this channel ended.`;
    const id = `gone:${subscriptionId(sub)}:${sub.createdAt}`;
    await notify(store, sub.place, id, say(words));
    await store.subscriptions.remove(sub);
  }

  return async (repo, subs, before) => {
    const since = before?.missingSince ?? now();
    const { owner, repo: name } = splitFullName(repo.fullName);
    const inDoubt = { owner, name, ...before, readAt: now(), missingSince: since };
    if (now() - since < sureAfterMs) return inDoubt;
    const sees = ({ place: { team }, owner: user }: Subscription) =>
      sight({ team, user }, repo).catch(unknownIfRefused);
    const seen = await Promise.all(subs.map(sees));
    if (seen.includes(true)) {
      for (const sub of subs) await guard.pause(sub, outOfReach);
      return undefined;
    }
    // an owner whose account cannot look may still see it; the daily check pauses those
    if (subs.some(({ paused }, at) => !paused && seen[at] === undefined)) return inDoubt;
    log.warn({ repository: repo.fullName, id: repo.id }, 'a subscribed repository no longer exists');
    for (const sub of subs) await end(sub, repo);
    return undefined;
  };
}
