import { type Event, featureOf } from '../feed/event.js';
import { aboutItem, type ItemState, issueState, pullState } from '../feed/item.js';
import { ApiError } from '../forge/index.js';
import type { FeedDeps } from './feed-deps.js';
import { unlessGone } from './sources.js';

const singly = 20;
const searchPages = 40;
const atOnce = 4;

/** The present state of the items these events are about, by thread; what cannot be read is left out. */
export async function itemStates(
  { service, has, log }: FeedDeps,
  events: readonly Event[],
): Promise<ReadonlyMap<string, ItemState>> {
  const wanted = new Map<string, Event>();
  for (const event of events) if (aboutItem(event) && event.item.thread) wanted.set(event.item.thread, event);
  const states = new Map<string, ItemState>();
  try {
    if (wanted.size > singly || !(await has('issues.get'))) await bySearch([...wanted.values()], states);
    const left = [...wanted].filter(([thread]) => !states.has(thread)).slice(0, singly * 5);
    for (let at = 0; at < left.length; at += atOnce) {
      await Promise.all(left.slice(at, at + atOnce).map(([thread, event]) => one(thread, event, states).catch(poorer)));
    }
  } catch (error) {
    poorer(error);
  }
  return states;

  /** A message without its item's state is better than none, but a forge that is away is waited for. */
  function poorer(error: unknown): void {
    const away = error instanceof ApiError && (error.kind === 'unavailable' || error.kind === 'timeout');
    // a 500 is about this one item: it must not hold up the others for ever
    if (!(error instanceof ApiError) || (away && error.status !== 500)) throw error;
    log.warn({ reason: error.message }, 'an item could not be read');
  }

  async function one(thread: string, { item, repo }: Event, found: Map<string, ItemState>): Promise<void> {
    const [owner = '', name = ''] = repo.fullName.split('/');
    const where = { owner, repo: name, index: item.number ?? 0 };
    if (item.kind === 'pull' && (await has('pulls.get'))) {
      const pull = await unlessGone(service.pulls.get(where));
      if (pull) found.set(thread, pullState(pull));
    } else if (await has('issues.get')) {
      const issue = await unlessGone(service.issues.get(where));
      if (issue) found.set(thread, issueState(issue));
    }
  }

  async function bySearch(about: readonly Event[], found: Map<string, ItemState>): Promise<void> {
    const owners = new Set(about.map(({ repo }) => repo.fullName.split('/')[0] ?? ''));
    const oldest = Math.min(...about.map(({ at }) => Date.parse(at))) - 60_000;
    const threads = new Set(about.map(({ item }) => item.thread));
    for (const owner of owners) {
      for await (const issue of service.issues.search.each(
        { query: { owner, state: 'all', since: new Date(oldest) } },
        { maxPages: searchPages },
      )) {
        const thread = issue.repository && `r${issue.repository.id}-n${issue.number}`;
        if (thread && threads.has(thread)) found.set(thread, issueState(issue));
      }
    }
  }
}

/** Whether anyone's filter gets far enough for the state to matter. */
export const stateMatters = (event: Event): boolean => aboutItem(event) && featureOf(event.kind) !== 'inbox';
