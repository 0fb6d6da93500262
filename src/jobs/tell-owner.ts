import { reasonOf } from '../errors.js';
import type { Person } from '../store/index.js';
import type { Mrkdwn } from '../view/text.js';
import type { FeedDeps } from './feed-deps.js';
import { tell } from './tell.js';

/** A direct message under its own id: sent once, however often it is requested. */
export type TellOwner = (owner: Person, id: string, words: Mrkdwn) => Promise<void>;

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
