import pMap from 'p-map';
import type { Event } from '../../feed/event.js';
import { type Filter, settingOf } from '../../feed/filter.js';
import { aboutItem, type ItemState, issueState, pullState } from '../../feed/item.js';
import type { Api } from '../../forge/index.js';
import { unlessUnseen } from '../../forge/possible.js';
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
  repo: Pick<Repository, 'full_name'>,
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
  await pMap(
    all,
    async ([thread, event]) => {
      const state = await stateOf(repo, event, api);
      if (state) found.set(thread, state);
    },
    { concurrency: atOnce },
  );
  return { get: (thread) => found.get(thread), unsure: found.size < wanted.size };
}

async function stateOf(repo: Pick<Repository, 'full_name'>, { item }: Event, api: Api): Promise<ItemState | undefined> {
  const { owner, repo: name } = splitFullName(repo.full_name);
  const where = { owner, repo: name, index: item.number ?? 0 };
  if (item.kind === 'pull') {
    const pull = await unlessUnseen(api.pulls.get(where));
    return pull && pullState(pull);
  }
  const issue = await unlessUnseen(api.issues.get(where));
  return issue && issueState(issue);
}
