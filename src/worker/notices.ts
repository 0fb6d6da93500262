import type { Notice } from '../chat/approval/desk.js';
import { noticePlace } from '../feed/lanes.js';
import type { FeedJobs } from '../jobs/feed.js';
import type { Store } from '../store/index.js';

/** Approval cards go through the outbox: recorded first, posted once, changed afterwards, whatever is killed between. */
export function createNotices(store: Store, feed: Pick<FeedJobs, 'wake'>, team: string) {
  return async ({ key, channel, message, version }: Notice): Promise<void> => {
    const place = noticePlace({ team, channel });
    const body = { type: 'message', card: key, message: JSON.parse(JSON.stringify(message)) };
    await store.outbox.append(place, [{ id: `${key}:${version}`, card: key, body }]);
    await feed.wake(place);
  };
}
