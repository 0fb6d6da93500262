import { reasonOf } from '../errors.js';
import { type Person, type Place, plainJson, type Store } from '../store/index.js';
import { say } from '../view/message.js';
import type { Mrkdwn } from '../view/text.js';
import type { FeedDeps } from './feed-deps.js';

type Said = Parameters<typeof say>;

/** A message under its own id: posted once, however often it is requested. */
export async function tell({ outbox }: Store, place: Place, id: string, ...said: Said): Promise<void> {
  await outbox.append(place, [{ id, body: plainJson({ type: 'message', message: say(...said) }) }]);
}

/** A direct message under its own id: sent once, however often it is requested. */
type TellOwner = (owner: Person, id: string, words: Mrkdwn) => Promise<void>;

export function createTellOwner({ store, slack, log }: FeedDeps): TellOwner {
  return async ({ team, user }, id, words) => {
    try {
      const place = { team, channel: await slack.directMessage(user) };
      await tell(store, place, id, words);
    } catch (error) {
      // a person who left Slack cannot be notified; status and subscribe list show it too
      log.warn({ user, reason: reasonOf(error) }, 'could not notify a subscription owner');
    }
  };
}
