import { formButton } from '../chat/actions.js';
import { command } from '../chat/command.js';
import { choice, choices, clearable, flag } from '../chat/fields/index.js';
import { isWanted, type MessageKind } from '../feed/inbox-kinds.js';
import type { QuietHours } from '../feed/quiet.js';
import { actions, list, context as quietLine, section } from '../view/blocks.js';
import { message } from '../view/message.js';
import { md } from '../view/text.js';
import { quietHours } from './settings/quiet-hours.js';

const kinds = [
  'review_requested',
  'assigned',
  'mentioned',
  'replied',
  'run_failed',
  'broke_branch',
  'activity',
] as const satisfies readonly MessageKind[];
type Kind = (typeof kinds)[number];

const words: Readonly<Record<Kind, string>> = {
  review_requested: 'My review is requested',
  assigned: 'I’m assigned',
  mentioned: 'I’m mentioned',
  replied: 'Replies and reviews on my items',
  run_failed: 'A run of my push fails',
  broke_branch: 'My commit may have broken a default branch (mention in the channel)',
  activity: 'Everything else I’m notified about',
};

export const settings = command({
  name: 'settings',
  title: 'Notifications',
  submit: 'Save changes',
  summary: 'Choose your direct messages and quiet hours',
  examples: ['settings', 'settings --messages review_requested,assigned', 'settings --quiet 22:00-07:00'],
  fields: {
    messages: flag(
      clearable(
        choices(kinds, { label: 'Direct messages', labels: words, hint: 'Choose none to turn direct messages off.' }),
      ),
    ),
    replies: flag(
      choice(['on', 'off'] as const, {
        label: 'Replies in synced threads',
        labels: { on: 'Post my replies as comments', off: 'Keep my replies in Slack' },
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
  async prefill(_args, { store, person }) {
    const stored = await store.settings.get(person);
    const on = kinds.filter((kind) => isWanted(stored.kinds, kind));
    const replies = stored.replies === 'on' || stored.replies === 'off' ? { replies: stored.replies } : {};
    return { messages: on.length === 0 ? null : on, quiet: stored.quiet, ...replies };
  },
  async run({ messages, quiet, replies }, { store, person, slack }) {
    const before = await store.settings.get(person);
    const chosen = messages === undefined ? before.kinds : kindsOf(messages ?? []);
    const next = {
      ...before,
      kinds: { ...before.kinds, ...chosen },
      quiet: quiet === undefined ? before.quiet : quiet,
      ...(replies && { replies }),
    };
    await store.settings.put(person, next);
    // They are kept whether Slack tells the time zone now or not.
    const known = await slack.user(person.user).catch(() => undefined);
    return { ...next, offset: known?.utcOffset };
  },
  reply: ({ kinds: stored, quiet, replies, offset }) =>
    message({
      text: 'Your settings',
      blocks: [
        section(md`✅ You get a direct message when:`),
        ...list(kinds.map((kind) => md`${isWanted(stored, kind) ? '🔔' : '🔕'} ${words[kind]}`)),
        quietLine([quietWords(quiet, offset), replyWords[replies ?? 'asked']]),
        actions(formButton({ text: 'Change', command: 'settings' })),
      ],
    }),
});

const replyWords = {
  on: 'your replies in synced threads are posted as comments',
  off: 'your replies in synced threads stay in Slack',
  asked: undefined,
} as const;

const kindsOf = (on: readonly Kind[]): Record<string, boolean> =>
  Object.fromEntries(kinds.map((kind) => [kind, on.includes(kind)]));

function quietWords(quiet: QuietHours | null, offset: number | undefined): string {
  if (!quiet) return 'no quiet hours';
  return `quiet from ${quiet.from} to ${quiet.to}${offset === undefined ? '' : ` (${zone(offset)})`}, followed by a digest`;
}

/** `UTC+02:00` */
function zone(minutes: number): string {
  const size = Math.abs(minutes);
  const part = (value: number) => String(value).padStart(2, '0');
  return `UTC${minutes < 0 ? '-' : '+'}${part(Math.floor(size / 60))}:${part(size % 60)}`;
}
