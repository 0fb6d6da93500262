import { LRUCache } from 'lru-cache';
import { type Event, featureOf } from '../feed/event.js';
import { aboutItem, type Checks, type ItemState, issueState, pullState, verdictsOf } from '../feed/item.js';
import { unlessGone } from '../feed/sources/asked.js';
import { ApiError, gathered } from '../forge/index.js';
import { openRequests } from '../forge/review-requests.js';
import type { CommitStatus } from '../forge/schemas/commit.js';
import type { PullRequest } from '../forge/schemas/pull.js';
import type { FeedDeps } from './feed-deps.js';
import { createStrange } from './strange.js';

/** One sick item must not open the circuit for everybody. */
const asked = (ms: number) => ({ signal: AbortSignal.timeout(ms), detail: true });

const singly = 20;
const mostReviews = 200;
const searchPages = 40;
const atOnce = 4;

/** Whoever waits for one item waits no longer than this; what it says comes later then. */
const patienceMs = 5_000;
const searchPatienceMs = 15_000;

export interface ItemStates {
  readonly states: ReadonlyMap<string, ItemState>;
  /** Threads whose item is there and could not be read now. */
  readonly unread: ReadonlySet<string>;
}

export type ReadItems = (events: readonly Event[]) => Promise<ItemStates>;

/** The present state of the items these events are about, by thread, within a bounded time. */
export function createItemReader({ service, has, log }: FeedDeps): ReadItems {
  // a shape that is not known stays so for weeks
  const logged = new LRUCache<string, true>({ max: 1_000, ttl: 24 * 3_600_000 });

  const strange = createStrange(log);

  return async (events) => {
    const wanted = new Map<string, Event>();
    for (const event of events) if (aboutItem(event) && event.item.thread) wanted.set(event.item.thread, event);
    const states = new Map<string, ItemState>();
    const unread = new Set<string>();
    if (wanted.size > singly || !(await has('issues.get'))) {
      const failed = await attempt(() => bySearch([...wanted.values()], states));
      if (failed) for (const thread of wanted.keys()) if (!states.has(thread)) unread.add(thread);
    }
    const left = [...wanted].filter(([thread]) => !states.has(thread)).slice(0, singly * 5);
    for (let at = 0; at < left.length; at += atOnce) {
      await Promise.all(
        left.slice(at, at + atOnce).map(async ([thread, event]) => {
          if (await attempt(() => one(thread, event, states))) unread.add(thread);
          else unread.delete(thread);
        }),
      );
    }
    return { states, unread };
  };

  /** True: it could not be read. A message without its item's state is better than none, and than one that waits. */
  async function attempt(read: () => Promise<void>): Promise<boolean> {
    try {
      await read();
      return false;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!logged.has(error.message)) log.warn({ reason: error.message }, 'an item could not be read');
      logged.set(error.message, true);
      return true;
    }
  }

  async function one(thread: string, { item, repo }: Event, found: Map<string, ItemState>): Promise<void> {
    const [owner = '', name = ''] = repo.fullName.split('/');
    const where = { owner, repo: name, index: item.number ?? 0 };
    if (item.kind === 'pull' && (await has('pulls.get'))) {
      const pull = await unlessGone(service.pulls.get(where, asked(patienceMs)));
      if (pull) found.set(thread, await whole(where, pull));
    } else if (await has('issues.get')) {
      const issue = await unlessGone(service.issues.get(where, asked(patienceMs)));
      if (issue) found.set(thread, issueState(issue));
    }
  }

  /** With who said what and how its checks are; what the forge does not tell is left out. */
  async function whole(where: { owner: string; repo: string; index: number }, pull: PullRequest): Promise<ItemState> {
    const { owner, repo } = where;
    const ref = pull.state === 'open' ? pull.head?.sha : undefined;
    const [reviews, status] = await Promise.all([
      ifKnown(gathered(service.pulls.listReviews.each(where, { max: mostReviews, ...asked(patienceMs) }))),
      ref ? ifKnown(service.repos.commitStatus({ owner, repo, ref }, asked(patienceMs))) : undefined,
    ]);
    return {
      ...pullState(reviews ? { ...pull, ...openRequests(reviews) } : pull),
      ...(reviews && { verdicts: verdictsOf(reviews) }),
      ...(status && status.statuses.length > 0 && { checks: checksOf(status) }),
    };
  }

  async function bySearch(about: readonly Event[], found: Map<string, ItemState>): Promise<void> {
    const owners = new Set(about.map(({ repo }) => repo.fullName.split('/')[0] ?? ''));
    const oldest = Math.min(...about.map(({ at }) => Date.parse(at))) - 60_000;
    const threads = new Set(about.map(({ item }) => item.thread));
    for (const owner of owners) {
      for await (const issue of service.issues.search.each(
        { query: { owner, state: 'all', since: new Date(oldest) } },
        { maxPages: searchPages, strange: strange('search'), ...asked(searchPatienceMs) },
      )) {
        const thread = issue.repository && `r${issue.repository.id}-n${issue.number}`;
        if (thread && threads.has(thread)) found.set(thread, issueState(issue));
      }
    }
  }
}

/** Whether anyone's filter gets far enough for the state to matter. */
export const stateMatters = (event: Event): boolean => aboutItem(event) && featureOf(event.kind) !== 'inbox';

/** Undefined where the forge does not tell: the card goes without. */
async function ifKnown<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

const bad: ReadonlySet<string> = new Set(['failure', 'error']);
const good: ReadonlySet<string> = new Set(['success', 'warning', 'skipped']);

const checksOf = ({ statuses }: CommitStatus): Checks => ({
  total: statuses.length,
  passed: statuses.filter(({ status }) => good.has(status)).length,
  failed: statuses
    .filter(({ status }) => bad.has(status))
    .map(({ context }) => context.slice(0, 60))
    .slice(0, 20),
});
