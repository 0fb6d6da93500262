import { command } from '../../chat/command.js';
import { featuresMessage } from '../../domain/subscriptions/features-message.js';

export const subscribeFeatures = command({
  name: 'subscribe features',
  title: 'List features',
  summary: 'Show all features and filters of subscriptions',
  examples: ['subscribe features'],
  fields: {},
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: [],
  account: 'none',
  plan: () => [],
  run: async () => undefined,
  reply: featuresMessage,
});
