import type { Api, CallOptions, Page } from '../../forge/index.js';
import type { Issue } from '../../forge/schemas/issue.js';
import type { NotificationStatus, NotificationThread } from '../../forge/schemas/notification.js';
import type { InboxRequest } from './inbox.js';

/** What the steps of an inbox need, requested as its owner. */
export async function askInbox(
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
