import { type Api, ApiError, type CallOptions, gather, type Page } from '../../forge/index.js';
import { possible, unlessAbsent } from '../../forge/possible.js';
import type { Issue, NotificationStatus, NotificationThread, WorkflowRun } from '../../forge/schemas.js';
import { splitFullName } from '../../full-name.js';
import type { FeedMark } from '../mark.js';
import { pollFeed } from './feed.js';
import { type InboxRequest, pollInbox, pollSearches } from './inbox.js';
import { addRequests, type ItemsRequest, pollItems } from './items.js';
import { pollRuns, type RunsRequest } from './runs.js';
import { type Polled, type Source, type SourceAbout, type Steps, sourceKey } from './source.js';

const active = ['queued', 'in_progress', 'waiting'] as const;

/** Runs in the form the steps need. */
async function askRuns(
  api: Api,
  repo: { owner: string; repo: string },
  request: RunsRequest,
  options: CallOptions = {},
): Promise<Page<WorkflowRun>> {
  if (request.want === 'one') {
    const asking = api.runs.get({ ...repo, run: request.run });
    const run = await unlessUnreadable(possible(unlessAbsent(asking)), options);
    return { items: run ? [run] : [], total: undefined, hasMore: false };
  }
  const { page, limit } = request;
  const query = { page, limit, ...(request.want === 'active' && { status: [...active] }) };
  return api.runs.list({ ...repo, query }, options);
}

const askItems = (
  api: Api,
  owner: string,
  { page, limit, since, labels, type }: ItemsRequest,
  options: CallOptions = {},
): Promise<Page<Issue>> =>
  api.issues.search(
    {
      query: {
        owner,
        state: 'open',
        page,
        limit,
        ...(since && { since }),
        ...(labels && { labels: labels.join(',') }),
        ...(type && { type }),
      },
    },
    options,
  );

/** A run of unknown shape is no longer followed: it would stop all the others. */
async function unlessUnreadable<T>(call: Promise<T>, { onUnreadable }: CallOptions): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof ApiError) || !error.unknownShape) throw error;
    onUnreadable?.(error.message);
    return undefined;
  }
}

/** What the steps of an inbox need, requested as its owner. */
async function askInbox(
  api: Api,
  request: InboxRequest,
  options: CallOptions,
): Promise<Page<NotificationThread | Issue>> {
  const { want, page, limit, since } = request;
  const query = { page, limit, ...(since && { since }) };
  if (want === 'threads') {
    // without a time that would be everything ever read
    const status: NotificationStatus[] = since ? ['unread', 'read'] : ['unread'];
    return api.notifications.list({ query: { ...query, 'status-types': status } }, options);
  }
  return api.issues.search({ query: { ...query, state: 'open', [want]: true } }, options);
}

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
  onUnreadable(why: string): void;
  /** Whether someone wants the review requests in this repository; absent: in all. */
  wantsRequests?(repo: { readonly id: number; readonly full_name: string }): Promise<boolean>;
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
  /** A webhook reported activity there. */
  readonly woken?: boolean;
  /** The most pages of an inbox to read. */
  readonly cap?: number;
}

/** One poll of one source; `api` acts as the bot or, for an inbox, as its owner. */
export function pollSource(api: Api, poll: Poll): Promise<Polled> {
  const { source, about, mark, forgeNow, cap, woken, listed = true } = poll;
  const key = sourceKey(source);
  const clock = { now: poll.now };
  const repo = { owner: about.owner, repo: about.name ?? '' };
  const username = about.owner;
  const { pageCheck: _, ...unseen } = poll;
  switch (source.kind) {
    case 'repo':
      return play(pollFeed(key, mark, { ...clock, woken }), poll, (query, options) =>
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
      return play(
        pollItems(key, about.labels ?? [], mark, forgeNow, about.requests ? (forgeNow ?? poll.now) : undefined),
        unseen,
        (request, options) => askItems(api, about.owner, request, options),
      ).then((polled) => withRequests(api, poll, polled));
    case 'inbox': {
      const steps = listed
        ? pollInbox(key, mark, { ...clock, forgeNow, ...(cap && { cap }) })
        : pollSearches(key, mark);
      return play(steps, unseen, (request, options) => askInbox(api, request, options));
    }
  }
}

const mostEntries = 500;

/** The review requests of the pull requests that changed: one request each, only where someone wants them. */
async function withRequests(
  api: Api,
  { source, before, onUnreadable, wantsRequests }: Poll,
  polled: Polled,
): Promise<Polled> {
  let result = polled;
  for (const pull of polled.changed ?? []) {
    const { repository, number: index } = pull.issue;
    if (!repository || (wantsRequests && !(await wantsRequests(repository)))) continue;
    await before?.();
    const { owner, repo } = splitFullName(repository.full_name);
    const query = { since: new Date(pull.since) };
    try {
      const entries = await gather(
        api.issues.timeline.each({ owner, repo, index, query }, { max: mostEntries, onUnreadable }),
      );
      result = addRequests(result, sourceKey(source), pull, entries);
    } catch (error) {
      // one that the forge cannot show must not stop the others
      if (!(error instanceof ApiError) || !isLasting(error)) throw error;
      onUnreadable(error.message);
    }
  }
  return result;
}

const isLasting = ({ kind, status }: ApiError): boolean =>
  status === 500 || kind === 'notFound' || kind === 'forbidden';

const mainOf = ({ defaultBranch }: SourceAbout) => (defaultBranch === undefined ? {} : { mainBranch: defaultBranch });

/** Fetches the pages the steps ask for, unless the first one shows that nothing is new. */
async function play<Request, Item>(
  steps: Steps<Request, Item>,
  { before, onUnreadable, pageCheck }: PollPorts,
  ask: (request: Request, options: CallOptions) => Promise<Page<Item>>,
): Promise<Polled> {
  let step = steps.next();
  for (let first = true; !step.done; first = false) {
    await before?.();
    const page = await ask(step.value, { onUnreadable, ...(first && pageCheck && { known: pageCheck.known }) });
    if (pageCheck?.idle) return pageCheck.idle;
    step = steps.next(page);
  }
  pageCheck?.remember(step.value.mark);
  return step.value;
}
