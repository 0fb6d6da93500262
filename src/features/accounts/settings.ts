import { z } from 'zod';
import { command } from '../../chat/command.js';
import { choice, choices, clearable, flag, type Needed, plainField, type Words } from '../../chat/fields.js';
import { UserError } from '../../errors.js';
import type { QuietHours } from '../../feed/quiet.js';
import { changeSettings, kindWords, messageKinds, presentSettings, settingsMessage } from './notification-settings.js';

const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);
const form = /^(\d{1,2})(?::(\d{2}))?\s*(?:-|–|—|to|until)\s*(\d{1,2})(?::(\d{2}))?$/i;

function time(hours: string, minutes = '00'): string {
  const text = `${hours.padStart(2, '0')}:${minutes}`;
  if (!clock.safeParse(text).success) throw unreadable();
  return text;
}

const unreadable = () => new UserError('Write quiet hours as 22:00-07:00, or off.');

/** `22:00-07:00` in the person's time zone; `off` removes them. */
function quietHours(words: Words = {}): Needed<QuietHours | null> {
  const field = clearable(
    plainField<QuietHours>(words, {
      label: 'Quiet hours',
      placeholder: '22:00-07:00',
      input: { kind: 'text', max: 20 },
      schema: z.object({ from: clock, to: clock }),
      read: (text) => {
        const [, from, fromMinutes, to, toMinutes] = form.exec(text.trim()) ?? [];
        if (from === undefined || to === undefined) throw unreadable();
        const hours = { from: time(from, fromMinutes), to: time(to, toMinutes) };
        if (hours.from === hours.to)
          throw new UserError('Quiet hours must start and end at different times, such as 22:00-07:00.');
        return hours;
      },
      show: ({ from, to }) => `${from}-${to}`,
    }),
  );
  return { ...field, read: (text, reading) => field.read(/^\s*off\s*$/i.test(text) ? 'none' : text, reading) };
}

export const settings = command({
  name: 'settings',
  title: 'Your settings',
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
  form: { submit: 'Save changes', opens: 'always', prefill: presentSettings },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It changes what its person gets in Slack.',
  operations: [],
  plan: () => [],
  run: changeSettings,
  reply: settingsMessage,
});
