import type { Unit } from '../feed/event.js';
import { type Exposure, exposure, isOpen, unread, unseen } from '../feed/exposure.js';
import { PostError } from '../feed/ports.js';
import { isRefused } from '../forge/possible.js';
import type { Person, Place, Subscription } from '../store/index.js';
import type { FeedDeps } from './feed-deps.js';
import { createPatience } from './patience.js';
import type { RepoFacts } from './repo-facts.js';
import type { RepositoryName, Sight } from './sight.js';

/** A repository as it was read; rows of earlier versions do not say whether it was hidden. */
export interface Shown extends RepositoryName {
  readonly hidden?: boolean;
}

/** Who is responsible for showing it, and the parts of the repository it shows. */
export interface Answering {
  readonly person: Person | undefined;
  readonly units?: readonly Unit[];
}

const trueIfRefused = (error: unknown): true => {
  if (!isRefused(error)) throw error;
  return true;
};

export type Gate = ReturnType<typeof createGate>;

/** The only gate before anything is shown: may this audience see this repository, as the responsible person? */
export function createGate(
  { slack, policy, now }: Pick<FeedDeps, 'policy' | 'now'> & { readonly slack: Pick<FeedDeps['slack'], 'channel'> },
  repos: Pick<RepoFacts, 'isHidden'>,
  sight: Sight,
) {
  const patience = createPatience(now);

  /** What was public when it was read may still be shown in a closed channel. */
  const stillHidden = async (repo: Shown) => repo.hidden !== false && (await repos.isHidden(repo));

  /** Without an account nobody can tell what its person may see, so nothing hidden is shown. */
  async function exposureFor(repo: Shown, { person, units = [] }: Answering): Promise<Exposure> {
    // one person's refused account must not hold up a channel for good
    const sees = (unit?: Unit) => person && patience(`${person.team}/${person.user}`, sight(person, repo, unit));
    if (!(await sees())) return unseen;
    for (const unit of units) if (!(await sees(unit))) return unread(unit);
    return { allowed: true };
  }

  return {
    /** A pattern's hidden repositories are not even queued; one followed by name is checked when sending. */
    async reasonUnseen({ target, place, owner }: Subscription, repo: Shown): Promise<string | undefined> {
      if (target.kind === 'repo' || !(await stillHidden(repo))) return undefined;
      // a refused account holds up its own channel when sending, not everyone here
      const sees = await sight({ team: place.team, user: owner }, repo).catch(trueIfRefused);
      return sees ? undefined : 'its owner can’t see this repository';
    },

    /** Throws a PostError if the channel itself is lost. */
    async check({ channel }: Place, repo: Shown, by: Answering): Promise<Exposure> {
      const facts = await slack.channel(channel, by.person?.user).catch(() => {
        throw new PostError('unknown', 'channel_unread');
      });
      if (!facts) throw new PostError('channel', 'channel_not_found');
      if (facts.archived) throw new PostError('channel', 'is_archived');
      const asks = isOpen(facts) && policy.exposure.privateToPublic === 'refuse';
      const hidden = await (asks ? repos.isHidden(repo) : stillHidden(repo));
      const verdict = exposure({ hidden }, facts, policy.exposure);
      return verdict.allowed && hidden ? exposureFor(repo, by) : verdict;
    },
  };
}
