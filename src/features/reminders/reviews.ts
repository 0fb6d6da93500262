import { createHash } from 'node:crypto';
import { z } from 'zod';
import { runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { choices, duration, flag, type Needed, plainField, repository, toggle } from '../../chat/fields.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import type { Reminder } from '../../store/index.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { find, here, showable } from '../subscriptions/target.js';
import { reminderWords } from './words.js';

interface ReminderWanted {
  readonly days: readonly Reminder['days'][number][];
  readonly time: string;
  readonly repository?: RepositoryRef | undefined;
  readonly me?: boolean | undefined;
  readonly olderThan?: number | undefined;
  readonly labels?: { readonly labels: readonly string[]; readonly without: readonly string[] } | undefined;
  readonly drafts?: boolean | undefined;
}

type Schedule = Omit<Reminder, 'id' | 'createdAt' | 'team' | 'channel' | 'repositories' | 'personal'>;

const mostInChannel = 10;

/** Posted in this channel, about one repository or the channel's subscriptions. */
export async function forChannel(wanted: Schedule, of: RepositoryRef | undefined, context: Context): Promise<Reminder> {
  const { store, forge } = context;
  if (!(await forge.capabilities.has('pulls.list'))) {
    throw new UserError('This forge cannot list pull requests, so only personal reminders work. Add --me.');
  }
  const { place, facts } = await here(context);
  if ((await store.reminders.inChannel(place)).length >= mostInChannel) {
    throw new UserError(`This channel already has ${mostInChannel} reminders. Remove one first: /forge remind list.`);
  }
  const found = of && (await find({ kind: 'repo', ...of }, context));
  const shown = found && showable(found, { place, facts }, context.policy.exposure);
  if (shown && 'refusal' in shown) throw new UserError(shown.refusal);
  const named = found?.repositories ?? [];
  const followed = named.length > 0 ? [] : await store.subscriptions.inChannel(place);
  const preset = await store.channels.defaultRepository(place);
  if (named.length === 0 && followed.length === 0 && !preset) {
    throw new UserError(
      'Which repository? This channel has no subscriptions yet: add --repository owner/repo, or --me for your own reviews.',
    );
  }
  const repositories = named.map(({ id, name, owner }) => ({ id, name, owner: owner?.login ?? of?.owner ?? '' }));
  return keep({ ...wanted, ...place, personal: false, repositories }, context);
}

async function forPerson(wanted: Schedule, context: Context): Promise<Reminder> {
  const { person, slack } = context;
  const channel = await slack.directMessage(person.user);
  return keep({ ...wanted, team: person.team, channel, personal: true, repositories: [] }, context);
}

/** Requesting it twice makes one: its id is derived from the request. */
export function keep(asked: Omit<Reminder, 'id' | 'createdAt'>, { store }: Context): Promise<Reminder> {
  const print = createHash('sha256').update(JSON.stringify(asked)).digest('hex');
  return store.reminders.put({ ...asked, id: `r${print.slice(0, 8)}` });
}

/** The person's own, as their profile has it now. */
export async function zoneOf({ slack, person }: Context): Promise<string> {
  const asking = await slack.user(person.user);
  return typeof asking?.zone === 'string' ? asking.zone : 'Etc/UTC';
}

async function remindOfReviews(
  { days: on, time: at, repository: of, me, olderThan, labels, drafts }: ReminderWanted,
  context: Context,
) {
  const wanted: Schedule = {
    owner: context.person.user,
    days: [...on],
    time: at,
    zone: await zoneOf(context),
    ...(olderThan === undefined ? {} : { olderThan }),
    labels: [...(labels?.labels ?? [])],
    without: [...(labels?.without ?? [])],
    drafts: drafts === true,
  };
  const facts =
    context.channel === undefined ? undefined : await context.slack.channel(context.channel, context.person.user);
  const personal = me === true || context.channel === undefined || facts?.kind === 'dm';
  if (personal && of)
    throw new UserError('A personal reminder covers all your review requests: leave out --repository.');
  return personal ? forPerson(wanted, context) : forChannel(wanted, of, context);
}

const reminderMessage = (made: Reminder, { repository: of }: ReminderWanted) =>
  message({
    blocks: doneCard({
      says: made.personal
        ? md`You’ll get a reminder of your review requests.`
        : md`This channel will get a reminder of pull requests waiting for review${of ? md` in ${fullName(of)}` : md``}.`,
      facts: [...reminderWords(made), 'skipped when nothing is waiting'],
      buttons: [runButton({ text: 'Remove', command: 'remind remove', args: { reminder: made.id } })],
    }),
  });

interface LabelFilter {
  readonly labels: readonly string[];
  readonly without: readonly string[];
}

const mostNames = 20;

/** `bug,-wip`: any of the plain ones, none of those with a minus. */
function labelFilter(): Needed<LabelFilter> {
  const names = z.array(z.string().min(1).max(50)).max(mostNames).readonly();
  return plainField<LabelFilter>(
    {},
    {
      label: 'Labels',
      placeholder: 'bug,-wip',
      input: { kind: 'text', max: 400 },
      schema: z.object({ labels: names, without: names }),
      read: (text) => {
        const words = text.split(',').map((word) => word.trim());
        const given = words.filter((word) => word.replace(/^[+-]/, '') !== '');
        if (given.length === 0 || given.length > mostNames)
          throw new UserError('Separate labels with commas, for example bug,-wip.');
        const namesOf = (minus: boolean) =>
          given.filter((word) => word.startsWith('-') === minus).map((word) => word.replace(/^[+-]/, ''));
        return { labels: namesOf(false), without: namesOf(true) };
      },
      show: ({ labels, without }) => [...labels, ...without.map((name) => `-${name}`)].join(','),
    },
  );
}

const dayNames = {
  daily: 'Every day',
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
} as const;

export const days = () =>
  choices(['daily', 'weekdays', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], {
    label: 'Days',
    labels: dayNames,
    hint: 'Every day, weekdays, or some days of the week.',
    placeholder: 'daily|weekdays|mon,thu',
  });

const clock = /^(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm)?$/i;

function readTime(text: string): string | undefined {
  const [, hour, minutes = '00', half] = clock.exec(text.trim()) ?? [];
  if (hour === undefined || Number(minutes) > 59) return undefined;
  const given = Number(hour);
  if (half === undefined) return given > 23 ? undefined : `${String(given).padStart(2, '0')}:${minutes}`;
  if (given < 1 || given > 12) return undefined;
  const shifted = (given % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  return `${String(shifted).padStart(2, '0')}:${minutes}`;
}

/** `9:30`, `17`, `5pm` as HH:MM, in the person's time zone. */
export function time(): Needed<string> {
  return plainField(
    {},
    {
      label: 'Time',
      placeholder: '9:30',
      input: { kind: 'text', max: 10 },
      schema: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/),
      read: (text) => {
        const read = readTime(text);
        if (read === undefined) throw new UserError('I can’t read that time. Write 9:30, 17:00 or 5pm.');
        return read;
      },
      show: (value) => value,
    },
  );
}

export const remindReviews = command({
  name: 'remind reviews',
  title: 'Schedule reminder',
  summary: 'Post a regular reminder of pull requests waiting for review',
  examples: [
    'remind reviews daily 9:30',
    'remind reviews weekdays 9:30 --me',
    'remind reviews mon,thu 14:00 --repository acme/engine --older-than 2d --labels bug,-wip --drafts',
  ],
  fields: {
    days: days(),
    time: time(),
    repository: flag(repository({ hint: 'Leave empty for this channel’s subscriptions.' })),
    me: toggle({ label: 'For me', text: 'Send me a direct message with my review requests instead' }),
    olderThan: flag(duration({ label: 'Older than', hint: 'Such as 12h or 2d.' })),
    labels: flag(labelFilter()),
    drafts: toggle({ label: 'Include drafts' }),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: ['repos.get', 'repos.search', 'pulls.list', 'issues.search'],
  plan: () => [],
  run: remindOfReviews,
  reply: reminderMessage,
});
