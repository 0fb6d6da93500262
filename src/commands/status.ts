import { command } from '../chat/command.js';
import { toggle } from '../chat/fields/index.js';
import { offset } from '../chat/fields/offset.js';
import { readStatus, statusMessage } from '../domain/status/read.js';

export const status = command({
  name: 'status',
  title: 'Show status',
  summary: 'Show whether this channel’s updates are working',
  examples: ['status', 'status --all'],
  fields: { all: toggle({ label: 'All', text: 'All channels (maintainers only)' }), from: offset() },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: [],
  account: 'none',
  plan: () => [],
  run: readStatus,
  reply: statusMessage,
});
