import { readsUnit } from '../../domain/repositories/lookup.js';
import { covers } from '../../feed/covers.js';
import { type Api, isHidden } from '../../forge/index.js';
import { isAbsent } from '../../forge/possible.js';
import { withOpenRequests } from '../../forge/review-requests.js';
import type { Issue } from '../../forge/schemas/issue.js';
import type { PullRequest } from '../../forge/schemas/pull.js';
import type { Repository } from '../../forge/schemas/repository.js';
import { splitFullName } from '../../full-name.js';
import type { Reminder, Store } from '../../store/index.js';
import type { RepositoryName } from '../sight.js';
import { visible } from '../visible.js';

export interface Waiting {
  readonly repository: Repository;
  readonly pulls: readonly PullRequest[];
}

const mostRepositories = 50;
const mostListed = 5_000;
const mostPulls = 100;

interface Fits {
  readonly labels: readonly { readonly name: string }[];
  readonly created_at?: Date | undefined;
}

/** Old enough, with the wanted labels, and not a draft unless drafts are wanted. */
function fits(reminder: Reminder, item: Fits & { readonly draft: boolean }, now: number): boolean {
  const names = item.labels.map(({ name }) => name.toLowerCase());
  const has = (label: string) => names.includes(label.toLowerCase());
  if (item.draft && !reminder.drafts) return false;
  if (reminder.labels.length > 0 && !reminder.labels.some(has)) return false;
  if (reminder.without.some(has)) return false;
  const { olderThan } = reminder;
  return olderThan === undefined || now - (item.created_at?.getTime() ?? now) >= olderThan * 1_000;
}

const isAsked = (pull: PullRequest) => pull.requested_reviewers.length + pull.requested_reviewers_teams.length > 0;

interface Readers {
  readonly service: Api;
  /** The reminder's owner, who must see what it shows; undefined if no account is linked. */
  readonly owner: Api | undefined;
  /** A row has an unknown shape. */
  strange(why: string): void;
}

/** Open pull requests with requested reviews, by repository, as visible to the reminder's owner. */
export async function waitingIn(reminder: Reminder, store: Store, as: Readers, now: number): Promise<Waiting[]> {
  const found: Waiting[] = [];
  for (const { id, fullName } of await repositoriesOf(reminder, store, as)) {
    const repository = await seen(fullName, as);
    // a name may now belong to another repository; the id decides
    if (repository?.id !== id || repository.archived) continue;
    const pulls = await pullsOf(reminder, fullName, as, now);
    if (pulls.length > 0) found.push({ repository, pulls });
  }
  return found;
}

/** None in a mirror, an empty repository or one without pull requests: the forge answers “not found” there. */
async function pullsOf(
  reminder: Reminder,
  fullName: string,
  { service, strange }: Readers,
  now: number,
): Promise<PullRequest[]> {
  const at = splitFullName(fullName);
  const query = { state: 'open', sort: 'oldest' } as const;
  const pulls: PullRequest[] = [];
  try {
    for await (const pull of service.pulls.list.each({ ...at, query }, { max: mostPulls, strange })) {
      if (!isAsked(pull) || !fits(reminder, pull, now)) continue;
      const present = await withOpenRequests(service, at, pull);
      if (isAsked(present)) pulls.push(present);
    }
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  return pulls;
}

/** Without an account, only what everyone may see. */
async function seen(fullName: string, { owner, service }: Readers): Promise<Repository | undefined> {
  const repository = await visible(fullName, owner ?? service);
  if (!repository || !isHidden(repository)) return repository;
  return owner && (await readsUnit(owner, splitFullName(fullName), 'pulls')) ? repository : undefined;
}

/** What one person has to review, as visible to them. */
export async function waitingFor(
  reminder: Reminder,
  api: Api,
  now: number,
  strange: Readers['strange'],
): Promise<Issue[]> {
  const found: Issue[] = [];
  const query = { state: 'open', type: 'pulls', review_requested: true } as const;
  for await (const item of api.issues.search.each({ query }, { max: mostPulls, strange })) {
    if (fits(reminder, { ...item, draft: item.pull_request?.draft ?? false }, now)) found.push(item);
  }
  return found;
}

async function repositoriesOf(
  reminder: Reminder,
  store: Store,
  { service, strange }: Readers,
): Promise<readonly RepositoryName[]> {
  const { team, channel, repositories } = reminder;
  if (repositories.length > 0) return repositories.map(named);
  const names = new Map<number, string>();
  for (const sub of await store.subscriptions.inChannel({ team, channel })) {
    const { target, paused } = sub;
    if (paused) continue;
    const name = await store.subscriptions.nameOf(target);
    if (target.kind === 'repo' && name !== undefined) names.set(target.id, name);
    if (target.kind === 'owner') {
      const query = { uid: target.id, exclusive: true };
      for await (const each of service.repos.search.each({ query }, { max: mostListed, strange })) {
        if (names.size >= mostRepositories) break;
        if (each.owner?.id === target.id && covers(sub, each.full_name)) names.set(each.id, each.full_name);
      }
    }
  }
  const preset = await store.channels.defaultRepository({ team, channel });
  if (names.size === 0 && preset) return [named(preset)];
  return [...names].slice(0, mostRepositories).map(([id, fullName]) => ({ id, fullName }));
}

const named = ({ id, owner, name }: Reminder['repositories'][number]): RepositoryName => ({
  id,
  fullName: `${owner}/${name}`,
});
