import { command } from '../../chat/command.js';
import { changeOwner, ownerMessage } from '../../domain/subscriptions/change-owner.js';
import { followed } from '../../domain/subscriptions/fields.js';
import { member } from './member.js';

export const subscribeOwner = command({
  name: 'subscribe owner',
  title: 'Change owner',
  summary: 'Ask someone to own a subscription, or take it over',
  examples: ['subscribe owner acme/engine @grace', 'subscribe owner acme/engine me'],
  fields: { subscription: followed(), person: member({ label: 'New owner' }) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: ['repos.get', 'repos.search'],
  account: 'none',
  plan: () => [],
  run: changeOwner,
  reply: ownerMessage,
});
