import type { EventDelivery } from '../feed/delivery.js';
import type { Event } from '../feed/event.js';
import { type Checks, type ItemState, pullState } from '../feed/item.js';
import { ApiError } from '../forge/index.js';
import { isRefused, unlessAbsent } from '../forge/possible.js';
import { splitFullName } from '../full-name.js';
import { type DuePull, plainJson, subscriptionId } from '../store/index.js';
import type { FeedDeps } from './feed-deps.js';
import { createPaced, ForgePaused, isForgePaused, pauseForge } from './paced.js';
import { createPullReader } from './pull-state.js';
import type { RepoFacts } from './repo-facts.js';

export type ChecksWatch = ReturnType<typeof createChecksWatch>;

const minute = 60_000;
const firstMs = 5_000;
const soonMs = 2_000;
const atOnce = 10;
const holdMs = 2 * minute;
const longestMs = 360 * minute;

/** Often after a change, then less and less; undefined: not until a push, a run or an event of its own. */
function nextLook(checks: Checks | undefined, quietMs: number): number | undefined {
  const open = checks !== undefined && checks.passed + checks.failed.length < checks.total;
  const rest = !checks ? 2 * minute : open ? longestMs : checks.failed.length > 0 ? 60 * minute : 5 * minute;
  return quietMs >= rest ? undefined : Math.min(10 * minute, Math.max(10_000, quietMs / 2));
}

/** Statuses and review requests are in no feed, so a change of either is found by comparing. */
const shownAs = ({ sha, reviewers, teams }: ItemState, checks: Checks | undefined) =>
  JSON.stringify([sha, checks, [...reviewers, ...(teams ?? [])].sort()]);

interface Decided {
  readonly event: Event;
  readonly to: readonly { readonly delivery?: { readonly body: EventDelivery } }[];
}

/** Keeps the checks and review requests on the cards of open pull requests up to date: statuses and runs are not events of a pull request. */
export function createChecksWatch(deps: FeedDeps, repos: Pick<RepoFacts, 'read'>) {
  const { store, service, has, log, now } = deps;
  const pulls = createPullReader(service);
  const paced = createPaced(deps);

  /** The decisions about a pull request say whether it has a card; pushes and runs wake the ones they concern. */
  async function follow(decided: readonly Decided[], states: ReadonlyMap<string, ItemState>): Promise<void> {
    for (const { event, to } of decided) {
      const { repo, item } = event;
      if ('run' in event) await store.checks.wake(repo.id, event.run, soonMs);
      else if ('push' in event && event.push) await store.checks.wake(repo.id, event.push, soonMs);
      const { thread = '' } = item;
      const state = states.get(thread);
      if (state?.kind !== 'pull') continue;
      const { number, head, sha, checks } = state;
      const isCard = ({ delivery }: Decided['to'][number]) => delivery?.body.threaded && delivery.body.style === 'card';
      if (state.state !== 'open') await store.checks.drop(repo.id, thread);
      else if (to.some(isCard)) {
        const pull = { fullName: repo.fullName, number, head, sha, shown: shownAs(state, checks), changedAt: now() };
        await store.checks.put(repo.id, thread, pull, firstMs);
      }
    }
  }

  /** In every channel that shows it and still follows its repository. */
  async function redraw({ repo: id, thread, pull }: DuePull, item: ItemState, shown: string): Promise<boolean> {
    const found = await repos.read(pull.fullName);
    if (!found || found.id !== id) return false;
    const of = { id, fullName: found.full_name, hidden: true };
    let stands = false;
    for (const sub of await store.subscriptions.candidates(id, found.owner?.id ?? 0)) {
      if (sub.paused || !(await store.threads.get(sub.place, thread))) continue;
      stands = true;
      const audience = { repo: of, subscription: subscriptionId(sub), units: ['pulls'] };
      const body = plainJson({ type: 'update', thread, item, now: true, of: audience });
      await store.outbox.append(sub.place, [
        // a state that was there before is a change too
        { id: `update:${thread}:checks:${pull.changedAt}:${shown}`, card: `update:${thread}`, body },
      ]);
    }
    return stands;
  }

  async function look(due: DuePull): Promise<void> {
    const { repo: id, thread, pull: before } = due;
    const { owner, repo } = splitFullName(before.fullName);
    const where = { owner, repo, index: before.number };
    await paced();
    const pull = await unlessAbsent(pulls.get(where));
    if (!pull) return store.checks.drop(id, thread);
    await paced();
    const checks = await pulls.checks(where, pull);
    const shown = shownAs(pullState(pull), checks);
    const isOver = pull.state !== 'open';
    if (shown === before.shown && !isOver)
      return store.checks.put(id, thread, before, nextLook(checks, now() - before.changedAt));
    await paced();
    const item = { ...(await pulls.readReviewed(where, pull)), ...(checks && { checks }), readAt: store.now() };
    const stands = await redraw(due, item, shown);
    if (isOver || !stands) return store.checks.drop(id, thread);
    const next = { ...before, head: item.head, sha: item.sha, shown, changedAt: now() };
    return store.checks.put(id, thread, next, nextLook(checks, 0));
  }

  /** It is due again soon; one that the forge keeps refusing rests until something wakes it. */
  async function retryLater({ repo, thread, pull }: DuePull, error: unknown): Promise<void> {
    if (error instanceof ForgePaused) return;
    if (!(error instanceof ApiError)) throw error;
    await pauseForge(deps, error);
    log.debug({ reason: error.message }, 'the checks of a pull request could not be read');
    if (isRefused(error) && now() - pull.changedAt > longestMs) await store.checks.put(repo, thread, pull, undefined);
  }

  return {
    follow,
    /** Reads the checks that are due; unreadable ones are retried. */
    async look(): Promise<void> {
      if (!(await has('repos.commitStatus')) || (await isForgePaused(deps))) return;
      for (const due of await store.checks.due(atOnce, holdMs)) {
        await look(due).catch((error: unknown) => retryLater(due, error));
      }
    },
  };
}
