import type { Context } from '../chat/context.js';
import type { Acted } from '../chat/runtime.js';
import { issueState, itemThread, pullState } from '../feed/item.js';
import { followItem, followNotification } from '../feed/own-card.js';
import { threadMark } from '../feed/sources/inbox.js';
import { sourceKey } from '../feed/sources/source.js';
import { withOpenRequests } from '../forge/review-requests.js';

/** What people do in their direct messages shows there at once: the forge does not notify people of their own actions. */
export async function followOwnCards(context: Context, acted: readonly Acted[]): Promise<void> {
  const { api, store, slack, person, channel, forge } = context;
  // elsewhere the feed posts it
  const concerned = acted.filter(({ notification }) => notification !== undefined || channel?.startsWith('D'));
  if (concerned.length === 0) return;
  const place = { team: person.team, channel: await slack.directMessage(person.user) };
  for (const { notification, item } of concerned) {
    if (notification !== undefined) {
      const asOf = store.now();
      const found = await api.notifications.getThread({ id: notification });
      await store.marks.recordOwn(sourceKey({ kind: 'inbox', ...person }), [threadMark(found)]);
      await followNotification(store, place, found, asOf);
    }
    if (!item || channel !== place.channel || !(await forge.capabilities.has('issues.get'))) continue;
    const issue = await api.issues.get(item);
    const thread = issue.repository && itemThread(issue.repository.id, issue.number);
    if (thread === undefined || !(await store.threads.get(place, thread))) continue;
    const pull = issue.pull_request && (await forge.capabilities.has('pulls.get'));
    await followItem(
      store,
      place,
      thread,
      pull ? pullState(await withOpenRequests(api, item, await api.pulls.get(item))) : issueState(issue),
    );
  }
}
