import { formButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { isWanted, type MessageKind } from '../../feed/inbox-why.js';
import { type QuietHours, quietReason, quietUntil } from '../../feed/quiet.js';
import type { Settings } from '../../store/index.js';
import { actions, list, context as quietLine, section } from '../../view/blocks.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { offsetAt, type Zone } from '../../wall-clock.js';

interface SettingsWanted {
  readonly messages?: readonly Kind[] | null | undefined;
  readonly quiet?: QuietHours | null | undefined;
  readonly replies?: 'on' | 'off' | undefined;
}

export const messageKinds = [
  'review_requested',
  'assigned',
  'mentioned',
  'replied',
  'run_failed',
  'broke_branch',
  'activity',
] as const satisfies readonly MessageKind[];

type Kind = (typeof messageKinds)[number];

export const kindWords: Readonly<Record<Kind, string>> = {
  review_requested: 'Review requests',
  assigned: 'Assignments',
  mentioned: 'Mentions',
  replied: 'Replies and reviews on your items',
  run_failed: 'Failed runs of your pushes',
  broke_branch: 'A default branch you may have broken (mentions you in the channel)',
  activity: 'All other notifications',
};

const shortWords: Readonly<Record<Kind, string>> = {
  review_requested: 'reviews',
  assigned: 'assignments',
  mentioned: 'mentions',
  replied: 'replies',
  run_failed: 'failed runs',
  broke_branch: 'broken branches',
  activity: 'everything else',
};

/** `reviews, mentions`: the kinds that are on, by choice or by default. */
export const onWords = (stored: Readonly<Record<string, boolean>>): string =>
  messageKinds
    .filter((kind) => isWanted(stored, kind))
    .map((kind) => shortWords[kind])
    .join(', ') || 'none';

const replyWords = {
  on: 'you are asked for each repository before your replies in synced threads are posted as comments',
  off: 'your replies in synced threads stay in Slack',
  asked: undefined,
} as const;

/** Turning replies on again removes the earlier “no” of each repository, so the question returns there. */
const agreedIn = (repliesIn: Settings['repliesIn'] = {}): Settings['repliesIn'] =>
  Object.fromEntries(Object.entries(repliesIn).filter(([, answer]) => answer === 'public' || answer === 'hidden'));

const kindsOf = (on: readonly Kind[]): Record<string, boolean> =>
  Object.fromEntries(messageKinds.map((kind) => [kind, on.includes(kind)]));

function quietWords(quiet: QuietHours | null, offset: number | undefined): string {
  if (!quiet) return 'no quiet hours';
  return `quiet from ${quiet.from} to ${quiet.to}${offset === undefined ? '' : ` (${offsetWords(offset)})`}, followed by a digest`;
}

/** `UTC+02:00` */
function offsetWords(minutes: number): string {
  const size = Math.abs(minutes);
  const part = (value: number) => String(value).padStart(2, '0');
  return `UTC${minutes < 0 ? '-' : '+'}${part(Math.floor(size / 60))}:${part(size % 60)}`;
}

export async function presentSettings(_args: unknown, { store, person }: Context) {
  const stored = await store.settings.get(person);
  const on = messageKinds.filter((kind) => isWanted(stored.kinds, kind));
  const replies = stored.replies === 'on' || stored.replies === 'off' ? { replies: stored.replies } : {};
  return { messages: on.length === 0 ? null : on, quiet: stored.quiet, ...replies };
}

/** What waits for the end of the earlier quiet hours waits for the new one instead, or is posted now. */
async function endQuiet(quiet: QuietHours | null, zone: Zone, { store, person, slack, now }: Context) {
  const channel = await slack.directMessage(person.user).catch(() => undefined);
  if (channel === undefined) return;
  const place = { team: person.team, channel };
  if ((await store.outbox.paused(place))?.reason !== quietReason) return;
  const until = quietUntil(now.getTime(), quiet, zone);
  await (until === undefined ? store.outbox.resume(place) : store.outbox.pause(place, quietReason, until));
}

export async function changeSettings({ messages, quiet, replies }: SettingsWanted, context: Context) {
  const { store, person, slack, now } = context;
  const before = await store.settings.get(person);
  const chosen = messages === undefined ? before.kinds : kindsOf(messages ?? []);
  const next = {
    ...before,
    kinds: { ...before.kinds, ...chosen },
    quiet: quiet === undefined ? before.quiet : quiet,
    ...(replies && { replies }),
    ...(replies === 'on' && { repliesIn: agreedIn(before.repliesIn) }),
  };
  await store.settings.put(person, next);
  // Saved whether or not Slack reports the time zone now.
  const known = await slack.user(person.user).catch(() => undefined);
  if (quiet === null || (quiet && known)) await endQuiet(quiet, known?.zone ?? 0, context);
  return { ...next, offset: known && offsetAt(known.zone, now.getTime()) / 60_000 };
}

export const settingsMessage = ({
  kinds: stored,
  quiet,
  replies,
  offset,
}: Awaited<ReturnType<typeof changeSettings>>) =>
  message({
    text: 'Your settings',
    blocks: [
      section(md`✅ Your direct messages:`),
      ...list(messageKinds.map((kind) => md`${isWanted(stored, kind) ? '🔔' : '🔕'} ${kindWords[kind]}`)),
      quietLine([quietWords(quiet, offset), replyWords[replies ?? 'asked']]),
      actions(formButton({ text: 'Change', command: 'settings' })),
    ],
  });
