import { covers } from '../../feed/covers.js';
import { readSubscriptionId, type Store, type Subscription } from '../../store/index.js';
import type { RepoFacts } from '../repo-facts.js';
import type { RepositoryName } from '../sight.js';

/** The subscription that shows this here: the one that brought it, or another of the channel if that one ended. */
export async function responsible(
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
