import { LRUCache } from 'lru-cache';
import pMap from 'p-map';
import type { Event } from '../../feed/event.js';
import { aboutItem, type ItemState, issueState, itemThread } from '../../feed/item.js';
import { featureOf } from '../../feed/kind.js';
import { ApiError } from '../../forge/index.js';
import { unlessAbsent } from '../../forge/possible.js';
import { splitFullName } from '../../full-name.js';
import { detail } from '../detail.js';
import type { FeedDeps } from '../feed-deps.js';
import { createPullReader } from '../pull-state.js';
import { createStrange } from '../strange.js';

const singly = 20;
const searchPages = 40;
const atOnce = 4;

const searchPatienceMs = 15_000;

export interface ItemStates {
  readonly states: ReadonlyMap<string, ItemState>;
  /** Threads whose item exists but could not be read now. */
  readonly unread: ReadonlySet<string>;
}

export type ReadItems = (events: readonly Event[]) => Promise<ItemStates>;

/** The current state of these events' items, by thread, within a bounded time. */
export function createItemReader({ store, service, has, log }: FeedDeps): ReadItems {
  // a problem may last for weeks: each is logged once a day
  const logged = new LRUCache<string, true>({ max: 1_000, ttl: 24 * 3_600_000 });

  const strange = createStrange(log);
  const pulls = createPullReader(service);
  const keep = (thread: string, state: ItemState, found: Map<string, ItemState>) =>
    found.set(thread, { ...state, readAt: store.now() });

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
    await pMap(
      left,
      async ([thread, event]) => {
        if (await attempt(() => one(thread, event, states))) unread.add(thread);
        else unread.delete(thread);
      },
      { concurrency: atOnce },
    );
    return { states, unread };
  };

  /** True: it could not be read. A message without its item's state beats none, and beats a late one. */
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
    const { owner, repo: name } = splitFullName(repo.fullName);
    const where = { owner, repo: name, index: item.number ?? 0 };
    if (item.kind === 'pull' && (await has('pulls.get'))) {
      const pull = await unlessAbsent(service.pulls.get(where, detail()));
      if (pull) keep(thread, await pulls.whole(where, pull), found);
    } else if (await has('issues.get')) {
      const issue = await unlessAbsent(service.issues.get(where, detail()));
      if (issue) keep(thread, issueState(issue), found);
    }
  }

  async function bySearch(about: readonly Event[], found: Map<string, ItemState>): Promise<void> {
    const owners = new Set(about.map(({ repo }) => splitFullName(repo.fullName).owner));
    const oldest = Math.min(...about.map(({ at }) => Date.parse(at))) - 60_000;
    const threads = new Set(about.map(({ item }) => item.thread));
    for (const owner of owners) {
      for await (const issue of service.issues.search.each(
        { query: { owner, state: 'all', since: new Date(oldest) } },
        { maxPages: searchPages, strange: strange('search'), ...detail(searchPatienceMs) },
      )) {
        const thread = issue.repository && itemThread(issue.repository.id, issue.number);
        if (thread && threads.has(thread)) keep(thread, issueState(issue), found);
      }
    }
  }
}

/** Whether any filter gets far enough for the state to matter. */
export const stateMatters = (event: Event): boolean => aboutItem(event) && featureOf(event.kind) !== 'inbox';
