import type { Context } from '../../chat/context.js';
import { type FeedMark, storedMark } from '../../feed/mark.js';
import { pollSource } from '../../feed/sources/poll.js';
import { sourceKey } from '../../feed/sources/source.js';
import type { Credential } from '../../forge/index.js';
import { ifAnswered } from '../../forge/possible.js';
import { openedSoon } from '../subscriptions/baseline.js';

const mostPages = 2;

/** What is unread now is old; only what comes later is news. */
export async function beginInbox(credential: Credential, context: Context): Promise<void> {
  const { marks, sources } = context.store;
  const key = sourceKey({ kind: 'inbox', ...context.person });
  const opened = await openedSoon(key, context.store);
  if (opened) {
    const mark = opened.mark ? undefined : await ifAnswered(present(key, credential, context));
    if (mark) await marks.commit(key, opened.token, storedMark(mark), []);
    await marks.lease(key).release(opened.token);
  }
  await sources.ensure(key, { owner: '-' });
}

async function present(key: string, credential: Credential, context: Context): Promise<FeedMark> {
  const { forge, log, person, now } = context;
  const { mark } = await pollSource(forge.as(credential), {
    source: { kind: 'inbox', ...person },
    about: { owner: '-' },
    mark: undefined,
    now: now.getTime(),
    listed: await forge.capabilities.has('notifications.list'),
    cap: mostPages,
    strange: (why) => log.warn({ source: key, why }, 'a notification has an unknown shape'),
  });
  return mark;
}
