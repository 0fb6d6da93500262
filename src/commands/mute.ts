import { command } from '../chat/command.js';
import { duration, optional, toggle } from '../chat/fields/index.js';
import { mutable } from '../domain/mutes/mutable.js';
import { mutedMessage, muteUpdates } from '../domain/mutes/mute.js';

const month = 31 * 86_400;

export const mute = command({
  name: 'mute',
  title: 'Pause updates',
  summary: 'Pause updates in this channel',
  examples: ['mute acme/engine 2h', 'mute channel 2h', 'mute 30m', 'mute acme/engine 1d --everywhere'],
  fields: {
    what: optional(mutable({ hint: 'Leave empty for the whole channel.' })),
    length: duration({ label: 'How long', placeholder: '2h', min: 60, max: month }),
    everywhere: toggle({ label: 'Everywhere', text: 'In every subscribed channel (maintainers only)' }),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: ['repos.get', 'repos.search'],
  plan: () => [],
  run: muteUpdates,
  reply: mutedMessage,
});
