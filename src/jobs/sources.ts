import { z } from 'zod';
import type { FeedMark } from '../feed/diff.js';
import { askItems, askRuns } from '../feed/sources/asked.js';
import { pollFeed } from '../feed/sources/feed.js';
import { pollInbox, pollSearches } from '../feed/sources/inbox.js';
import { askInbox } from '../feed/sources/inbox-asked.js';
import { pollItems } from '../feed/sources/items.js';
import { pollRuns } from '../feed/sources/runs.js';
import type { Polled, Source } from '../feed/sources/source.js';
import { sourceKey } from '../feed/sources/source.js';
import type { CallOptions, Page } from '../forge/index.js';
import type { FeedDeps } from './feed-deps.js';
import type { PageCheck } from './page-memory.js';

/** How to ask for a source; names change at the forge, ids do not. */
export const SourceAbout = z.object({
  owner: z.string(),
  name: z.string().optional(),
  ownerId: z.int().optional(),
  hidden: z.boolean().optional(),
  /** Everyone could see it once, so its name is no secret. */
  wasOpen: z.boolean().optional(),
  /** Since when neither the bot nor an owner finds it. */
  missingSince: z.int().optional(),
  defaultBranch: z.string().optional(),
  url: z.string().optional(),
  /** Wanted by the filters that follow this owner. */
  labels: z.array(z.string()).optional(),
  readAt: z.int().optional(),
});
export type SourceAbout = z.infer<typeof SourceAbout>;

export interface PollPorts {
  /** Before each question. */
  before(): Promise<void>;
  /** A row has a shape that is not known. */
  strange(why: string): void;
  readonly glance: PageCheck;
}

/** Asks page by page what the steps want to see, unless the first look shows that nothing is new. */
async function play<Request, Item>(
  steps: Generator<Request, Polled, Page<Item>>,
  ask: (request: Request, options: CallOptions) => Promise<Page<Item>>,
  { before, strange, glance }: Omit<PollPorts, 'glance'> & Partial<PollPorts>,
): Promise<Polled> {
  let step = steps.next();
  for (let first = true; !step.done; first = false) {
    await before();
    const page = await ask(step.value, { strange, ...(first && glance && { known: glance.known }) });
    if (glance?.idle) return glance.idle;
    step = steps.next(page);
  }
  glance?.remember(step.value.mark);
  return step.value;
}

/** One poll of one source, asked of the forge; undefined where there is nobody to ask as. */
export async function pollSource(
  deps: FeedDeps,
  source: Source,
  about: SourceAbout,
  mark: FeedMark | undefined,
  ports: PollPorts,
): Promise<Polled | undefined> {
  const key = sourceKey(source);
  const { service } = deps;
  const { before, strange } = ports;
  const repo = { owner: about.owner, repo: about.name ?? '' };
  switch (source.kind) {
    case 'repo':
      return play(
        pollFeed(key, mark, { now: deps.now() }),
        (query, options) => service.activity.repoFeed({ ...repo, query: { ...query } }, options),
        ports,
      );
    case 'user':
      return play(
        pollFeed(key, mark, { now: deps.now() }),
        (query, options) =>
          service.activity.userFeed({ username: about.owner, query: { ...query, 'only-performed-by': true } }, options),
        ports,
      );
    case 'owner':
      return play(
        pollFeed(key, mark, { now: deps.now() }),
        (query, options) => service.activity.userFeed({ username: about.owner, query: { ...query } }, options),
        ports,
      );
    case 'runs': {
      const of = {
        id: source.id,
        fullName: `${about.owner}/${about.name}`,
        url: about.url ?? '',
        hidden: about.hidden ?? true,
      };
      return play(
        pollRuns(key, of, mark, { now: deps.now() }),
        (request, options) => askRuns(service, repo, request, options),
        {
          before,
          strange,
        },
      );
    }
    case 'items':
      return play(
        pollItems(key, about.labels ?? [], mark, deps.forgeNow()),
        (request, options) => askItems(service, about.owner, request, options),
        {
          before,
          strange,
        },
      );
    case 'inbox': {
      const api = await deps.as(source);
      if (!api) return undefined;
      const listed = await deps.has('notifications.list');
      return play(
        listed ? pollInbox(key, mark, { forgeNow: deps.forgeNow() }) : pollSearches(key, mark),
        (request, options) => askInbox(api, request, options),
        {
          before,
          strange,
        },
      );
    }
  }
}
