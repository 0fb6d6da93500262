import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../../chat/context.js';
import type { FeedMark } from '../../feed/diff.js';
import { readMark, storedMark } from '../../feed/mark-store.js';
import { askItems, askRuns } from '../../feed/sources/asked.js';
import { pollFeed } from '../../feed/sources/feed.js';
import { pollItems } from '../../feed/sources/items.js';
import { pollRuns } from '../../feed/sources/runs.js';
import { type Polled, type Source, sourceKey } from '../../feed/sources/source.js';
import type { Page } from '../../forge/index.js';
import { ifTold } from '../possible.js';

export interface Begun {
  readonly source: Source;
  readonly about: {
    readonly owner: string;
    readonly name?: string;
    readonly ownerId?: number;
    readonly labels?: string[];
    readonly url?: string;
    readonly hidden?: boolean;
  };
}

const leaseMs = 30_000;
const lookAgainMs = 50;
const mostLooks = 200;

/** What the source shows now was there before; a source that is read already stays as it is, but learns new labels. */
export async function begin(each: Begun, context: Context): Promise<void> {
  const { marks, sources } = context.store;
  const key = sourceKey(each.source);
  for (let look = 0; look < mostLooks; look++) {
    const opened = await marks.open(key, leaseMs);
    if (!opened) {
      // another worker reads it right now; afterwards it has a mark
      await pause(lookAgainMs);
      continue;
    }
    try {
      const mark = readMark(opened.mark);
      if (mark && knows(mark, each)) return;
      const polled = await ifTold(present(key, mark, each, context));
      if (!polled) return;
      const { events } = polled;
      const logged = events.map((event) => ({ id: event.id, body: event }));
      await marks.commit(key, opened.token, storedMark(polled.mark), logged);
      if (events.length > 0) await sources.wake(key);
      return;
    } finally {
      await marks.lease(key).release(opened.token);
    }
  }
}

const knows = ({ memory }: FeedMark, { about, source }: Begun): boolean =>
  source.kind !== 'items' || (about.labels ?? []).every((label) => memory?.labels?.includes(label));

function present(key: string, mark: FeedMark | undefined, { source, about }: Begun, context: Context): Promise<Polled> {
  const { service, now } = context;
  const clock = { now: now.getTime() };
  const { owner, name: repo = '' } = about;
  if (source.kind === 'items')
    return play(pollItems(key, about.labels ?? [], mark), (request) => askItems(service, owner, request));
  if (source.kind === 'runs') {
    const of = { id: source.id, fullName: `${owner}/${repo}`, url: about.url ?? '', hidden: about.hidden ?? true };
    return play(pollRuns(key, of, mark, clock), (request) => askRuns(service, { owner, repo }, request));
  }
  return play(pollFeed(key, mark, clock), (query) => {
    if (source.kind === 'repo') return service.activity.repoFeed({ owner, repo, query: { ...query } });
    const performed = source.kind === 'user' ? { 'only-performed-by': true } : {};
    return service.activity.userFeed({ username: owner, query: { ...query, ...performed } });
  });
}

async function play<Request, Item>(
  steps: Generator<Request, Polled, Page<Item>>,
  ask: (request: Request) => Promise<Page<Item>>,
): Promise<Polled> {
  let step = steps.next();
  while (!step.done) step = steps.next(await ask(step.value));
  return step.value;
}
