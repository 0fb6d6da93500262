import type { MenuEntry } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import type { ItemRef } from '../../chat/references.js';
import { filterOf } from './filters.js';

/** Follow an item in this conversation, or stop following it; nothing outside a conversation. */
export async function followEntry(
  item: ItemRef,
  repo: number | undefined,
  { channel, person, store }: Context,
): Promise<MenuEntry | undefined> {
  if (channel === undefined) return undefined;
  const place = { team: person.team, channel };
  const sub =
    repo === undefined ? undefined : await store.subscriptions.get({ place, target: { kind: 'repo', id: repo } });
  const isFollowed = sub && !sub.paused && filterOf(sub.filter).items?.includes(item.index);
  return isFollowed
    ? { text: 'Stop following', command: 'unfollow', args: { item } }
    : { text: 'Follow', command: 'follow', args: { item } };
}
