import type { Api, CallOptions, Page } from '../../forge/index.js';
import type { FeedMark } from '../mark.js';
import type { SourceAbout } from './about.js';
import { askItems, askRuns } from './asked.js';
import { pollFeed } from './feed.js';
import { pollInbox, pollSearches } from './inbox.js';
import { askInbox } from './inbox-asked.js';
import { pollItems } from './items.js';
import { pollRuns } from './runs.js';
import { type Polled, type Source, type Steps, sourceKey } from './source.js';

/** Most polls see what the last one saw: detects that from the first page. */
export interface PageCheck {
  /** Whether the same bytes held nothing new for this mark before. */
  known(print: string): boolean;
  /** The result of the poll in that case. */
  readonly idle: Polled | undefined;
  /** The poll ended with this mark. */
  remember(after: FeedMark): void;
}

interface PollPorts {
  /** Called before each request. */
  before?(): Promise<void>;
  /** A row has an unknown shape. */
  strange(why: string): void;
  readonly pageCheck?: PageCheck;
}

export interface Poll extends PollPorts {
  readonly source: Source;
  readonly about: SourceAbout;
  readonly mark: FeedMark | undefined;
  readonly now: number;
  /** The forge's own clock, from its last answer. */
  readonly forgeNow?: number | undefined;
  /** Whether this server lists notifications; otherwise searches replace the inbox. */
  readonly listed?: boolean;
  /** The most pages of an inbox to read. */
  readonly cap?: number;
}

/** One poll of one source; `api` acts as the bot or, for an inbox, as its owner. */
export function pollSource(api: Api, poll: Poll): Promise<Polled> {
  const { source, about, mark, forgeNow, cap, listed = true } = poll;
  const key = sourceKey(source);
  const clock = { now: poll.now };
  const repo = { owner: about.owner, repo: about.name ?? '' };
  const username = about.owner;
  const { pageCheck: _, ...unseen } = poll;
  switch (source.kind) {
    case 'repo':
      return play(pollFeed(key, mark, clock), poll, (query, options) =>
        api.activity.repoFeed({ ...repo, query: { ...query } }, options),
      );
    case 'user':
      return play(pollFeed(key, mark, clock), poll, (query, options) =>
        api.activity.userFeed({ username, query: { ...query, 'only-performed-by': true } }, options),
      );
    case 'owner':
      return play(pollFeed(key, mark, clock), poll, (query, options) =>
        api.activity.userFeed({ username, query: { ...query } }, options),
      );
    case 'runs': {
      const fullName = `${repo.owner}/${repo.repo}`;
      const of = { id: source.id, fullName, url: about.url ?? '', hidden: about.hidden ?? true };
      return play(pollRuns(key, of, mark, { ...clock, ...mainOf(about) }), unseen, (request, options) =>
        askRuns(api, repo, request, options),
      );
    }
    case 'items':
      return play(pollItems(key, about.labels ?? [], mark, forgeNow), unseen, (request, options) =>
        askItems(api, about.owner, request, options),
      );
    case 'inbox': {
      const steps = listed
        ? pollInbox(key, mark, { ...clock, forgeNow, ...(cap && { cap }) })
        : pollSearches(key, mark);
      return play(steps, unseen, (request, options) => askInbox(api, request, options));
    }
  }
}

const mainOf = ({ defaultBranch }: SourceAbout) => (defaultBranch === undefined ? {} : { mainBranch: defaultBranch });

/** Fetches the pages the steps ask for, unless the first one shows that nothing is new. */
async function play<Request, Item>(
  steps: Steps<Request, Item>,
  { before, strange, pageCheck }: PollPorts,
  ask: (request: Request, options: CallOptions) => Promise<Page<Item>>,
): Promise<Polled> {
  let step = steps.next();
  for (let first = true; !step.done; first = false) {
    await before?.();
    const page = await ask(step.value, { strange, ...(first && pageCheck && { known: pageCheck.known }) });
    if (pageCheck?.idle) return pageCheck.idle;
    step = steps.next(page);
  }
  pageCheck?.remember(step.value.mark);
  return step.value;
}
