import type { SlackPort } from '../chat/context.js';
import type { Notice, Runtime } from '../chat/runtime.js';
import { noticePlace } from '../feed/lanes.js';
import type { Store } from '../store/index.js';

/** Approval cards go through the outbox: recorded first, posted once, then updated, whatever crashes in between. */
export function createNotices(store: Store, team: string) {
  return async ({ key, channel, message, version, under }: Notice): Promise<void> => {
    const place = noticePlace({ team, channel });
    const id = `${key}:${version}`;
    const entry =
      under === undefined
        ? { id, card: key, body: { type: 'message', card: key, message } }
        : { id, body: { type: 'message', under, message } };
    await store.outbox.append(place, [entry]);
  };
}

/** A message to one person that must not be lost: it waits for no backlog and no quiet hours. */
export function createTellOnce(store: Store, slack: Pick<SlackPort, 'directMessage'>): Runtime['tellOnce'] {
  return async ({ team, user }, id, message) => {
    const place = noticePlace({ team, channel: await slack.directMessage(user) });
    await store.outbox.append(place, [{ id, body: { type: 'message', message } }]);
  };
}
