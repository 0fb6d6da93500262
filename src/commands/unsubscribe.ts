import { command } from '../chat/command.js';
import { optional } from '../chat/fields/index.js';
import { targets, wish } from '../domain/subscriptions/fields.js';
import { unsubscribeChannel, unsubscribedMessage } from '../domain/subscriptions/unsubscribe.js';

export const unsubscribe = command({
  name: 'unsubscribe',
  title: 'Unsubscribe channel',
  summary: 'Unsubscribe this channel, or only from some features',
  examples: ['unsubscribe acme/engine', 'unsubscribe acme/engine commits', 'unsubscribe acme/*'],
  fields: {
    repositories: optional(targets()),
    filter: optional(
      wish({
        label: 'Only these features or filters',
        hint: 'Such as commits. Leave empty to unsubscribe completely.',
      }),
    ),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: ['repos.get', 'repos.search'],
  account: 'none',
  form: 'always',
  plan: () => [],
  run: unsubscribeChannel,
  reply: unsubscribedMessage,
});
