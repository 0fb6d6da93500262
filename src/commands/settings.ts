import { command } from '../chat/command.js';
import { choice, choices, clearable, flag } from '../chat/fields/index.js';
import {
  changeSettings,
  kindWords,
  messageKinds,
  presentSettings,
  settingsMessage,
} from '../domain/accounts/notification-settings.js';
import { quietHours } from './settings/quiet-hours.js';

export const settings = command({
  name: 'settings',
  title: 'Your settings',
  submit: 'Save changes',
  summary: 'Choose your direct messages and quiet hours',
  examples: ['settings', 'settings --messages review_requested,assigned', 'settings --quiet 22:00-07:00'],
  fields: {
    messages: flag(
      clearable(
        choices(messageKinds, {
          label: 'Direct messages',
          labels: kindWords,
          hint: 'Choose none to turn direct messages off.',
        }),
      ),
    ),
    replies: flag(
      choice(['on', 'off'] as const, {
        label: 'Replies in synced threads',
        labels: { on: 'Ask me for each repository', off: 'Keep my replies in Slack' },
      }),
    ),
    quiet: flag(
      quietHours({
        hint: 'In your Slack time zone, such as 22:00-07:00. You get a digest afterwards. Leave empty to turn off.',
      }),
    ),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It changes what its person gets in Slack.',
  operations: [],
  form: 'always',
  plan: () => [],
  prefill: presentSettings,
  run: changeSettings,
  reply: settingsMessage,
});
