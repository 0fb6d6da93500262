import { command } from '../../chat/command.js';
import { offset } from '../../chat/fields/offset.js';
import { listReminders, remindersMessage } from '../../domain/reminders/list.js';

export const remindList = command({
  name: 'remind list',
  summary: 'List the reminders of this channel and your own',
  examples: ['remind list'],
  fields: { from: offset() },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: [],
  account: 'none',
  plan: () => [],
  run: listReminders,
  reply: remindersMessage,
});
