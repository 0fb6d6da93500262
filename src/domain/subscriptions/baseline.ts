import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../../chat/context.js';
import { type FeedMark, readMark, storedMark } from '../../feed/mark.js';
import type { SourceAbout } from '../../feed/sources/about.js';
import { pollSource } from '../../feed/sources/poll.js';
import { type Source, sourceKey } from '../../feed/sources/source.js';
import { ifAnswered } from '../../forge/possible.js';
import type { OpenedSource, Store } from '../../store/index.js';

export interface Begun {
  readonly source: Source;
  readonly about: SourceAbout;
}

const leaseMs = 30_000;
const lookAgainMs = 50;
const mostLooks = 200;
const unknownRow = 'a row has a shape that is not known';

/** Everything the source shows now is old; a source already being read stays as it is, but learns new labels. */
export async function begin(each: Begun, context: Context): Promise<void> {
  const { service, log, now, store } = context;
  const { marks, sources } = store;
  const key = sourceKey(each.source);
  const opened = await openedSoon(key, store);
  if (!opened) return;
  try {
    const mark = readMark(opened.mark);
    if (mark && knows(mark, each)) return;
    const polled = await ifAnswered(
      pollSource(service, {
        ...each,
        mark,
        now: now.getTime(),
        strange: (why) => log.warn({ source: key, why }, unknownRow),
      }),
    );
    if (!polled) return;
    const { events } = polled;
    const logged = events.map((event) => ({ id: event.id, body: event }));
    await marks.commit(key, opened.token, storedMark(polled.mark), logged);
    if (events.length > 0) await sources.wake(key);
  } finally {
    await marks.lease(key).release(opened.token);
  }
}

/** Waits while another worker reads or drops it; undefined if that takes too long. */
export async function openedSoon(key: string, { marks }: Store): Promise<OpenedSource | undefined> {
  for (let look = 0; look < mostLooks; look++) {
    const opened = await marks.open(key, leaseMs);
    if (opened) return opened;
    await pause(lookAgainMs);
  }
  return undefined;
}

const knows = ({ memory }: FeedMark, { about, source }: Begun): boolean =>
  source.kind !== 'items' || (about.labels ?? []).every((label) => memory?.labels?.includes(label));
