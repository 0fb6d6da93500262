import { command } from '../../chat/command.js';
import { toggle } from '../../chat/fields/index.js';
import { offset } from '../../chat/fields/offset.js';
import { listSubscriptions, subscriptionsMessage } from '../../domain/subscriptions/list.js';

export const subscribeList = command({
  name: 'subscribe list',
  aliases: ['subscribe list features', 'subscriptions'],
  summary: 'List this channel’s subscriptions',
  examples: ['subscribe list', 'subscribe list --mine'],
  fields: {
    mine: toggle({ label: 'Mine', text: 'Subscriptions I own, in all channels' }),
    from: offset(),
  },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: [],
  account: 'none',
  plan: () => [],
  run: listSubscriptions,
  reply: subscriptionsMessage,
});
