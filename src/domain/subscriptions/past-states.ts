import type { Event } from '../../feed/event.js';
import { type Filter, settingOf } from '../../feed/filter.js';
import { aboutItem, type ItemState, issueState, pullState } from '../../feed/item.js';
import { type Api, ApiError } from '../../forge/index.js';
import type { Repository } from '../../forge/schemas/repository.js';
import { splitFullName } from '../../full-name.js';

/** States by thread; `unsure` if some could not be read. */
export interface States {
  get(thread: string): ItemState | undefined;
  readonly unsure: boolean;
}

const most = 100;
const atOnce = 4;

/** Whether this filter needs more than the feed provides. */
const asks = (filter: Filter): boolean =>
  [filter.labels, filter.notLabels, filter.authors, filter.notAuthors, filter.base].some(Boolean) ||
  settingOf(filter, 'drafts') === 'hide';

/** The current state of these events' items; read only if the filter needs it. */
export async function itemStates(
  repo: Repository,
  events: readonly Event[],
  filter: Filter,
  api: Api,
): Promise<States> {
  const found = new Map<string, ItemState>();
  if (!asks(filter)) return { get: (thread) => found.get(thread), unsure: false };
  const wanted = new Map<string, Event>();
  for (const event of events) if (aboutItem(event) && event.item.thread) wanted.set(event.item.thread, event);
  // the newest matter most
  const all = [...wanted].reverse().slice(0, most);
  for (let at = 0; at < all.length; at += atOnce) {
    await Promise.all(
      all.slice(at, at + atOnce).map(async ([thread, event]) => {
        const state = await stateOf(repo, event, api);
        if (state) found.set(thread, state);
      }),
    );
  }
  return { get: (thread) => found.get(thread), unsure: found.size < wanted.size };
}

async function stateOf(repo: Repository, { item }: Event, api: Api): Promise<ItemState | undefined> {
  const { owner, repo: name } = splitFullName(repo.full_name);
  const where = { owner, repo: name, index: item.number ?? 0 };
  try {
    return item.kind === 'pull' ? pullState(await api.pulls.get(where)) : issueState(await api.issues.get(where));
  } catch (error) {
    if (error instanceof ApiError && (error.kind === 'notFound' || error.kind === 'forbidden')) return undefined;
    throw error;
  }
}
