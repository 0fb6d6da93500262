import { command } from '../chat/command.js';
import { issueOrPull, toggle } from '../chat/fields/index.js';
import { request } from '../chat/request.js';
import { followedItemMessage, followItem } from '../domain/subscriptions/follow-item.js';

export const followFields = {
  item: issueOrPull(),
  me: toggle({ label: 'Only for me', text: 'In my direct messages, not in this channel' }),
};

export const follow = command({
  name: 'follow',
  title: 'Follow an item',
  submit: 'Follow item',
  summary: 'Get all updates on one issue or pull request',
  examples: ['follow #12', 'follow acme/engine#12 --me'],
  fields: followFields,
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: ['issues.get', 'repos.get', 'repos.search', 'users.me', 'activity.repoFeed', 'pulls.get'],
  needs: ['issues.get'],
  plan: ({ item }) => [request('issues.get', item)],
  run: followItem,
  reply: followedItemMessage,
});
