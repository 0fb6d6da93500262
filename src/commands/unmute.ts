import { command } from '../chat/command.js';
import { optional, toggle } from '../chat/fields/index.js';
import { mutable } from '../domain/mutes/mutable.js';
import { unmutedMessage, unmuteUpdates } from '../domain/mutes/unmute.js';

export const unmute = command({
  name: 'unmute',
  title: 'Resume updates',
  summary: 'Resume updates in this channel',
  examples: ['unmute', 'unmute acme/engine'],
  fields: {
    what: optional(mutable({ hint: 'Leave empty for the whole channel.' })),
    everywhere: toggle({ label: 'Everywhere', text: 'In every subscribed channel (maintainers only)' }),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: ['repos.get', 'repos.search'],
  plan: () => [],
  run: unmuteUpdates,
  reply: unmutedMessage,
});
