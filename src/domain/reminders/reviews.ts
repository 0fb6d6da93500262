import { createHash } from 'node:crypto';
import { runButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import type { Reminder } from '../../store/index.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { find } from '../subscriptions/find-target.js';
import { here, showable } from '../subscriptions/this-channel.js';
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
async function forChannel(wanted: Schedule, of: RepositoryRef | undefined, context: Context): Promise<Reminder> {
  const { store, forge } = context;
  if (!(await forge.capabilities.has('pulls.list'))) {
    throw new UserError('This forge cannot list pull requests, so only personal reminders work. Add --me.');
  }
  const { place, facts } = await here(context);
  if ((await store.reminders.inChannel(place)).length >= mostInChannel) {
    throw new UserError(`This channel already has ${mostInChannel} reminders. Remove one first: /forge remind list.`);
  }
  const found = of && (await find({ kind: 'repo', ...of }, context));
  const shown = found && showable(found, { place, facts }, context.exposure);
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
function keep(asked: Omit<Reminder, 'id' | 'createdAt'>, { store }: Context): Promise<Reminder> {
  const print = createHash('sha256').update(JSON.stringify(asked)).digest('hex');
  return store.reminders.put({ ...asked, id: `r${print.slice(0, 8)}` });
}

export async function remindOfReviews(
  { days: on, time: at, repository: of, me, olderThan, labels, drafts }: ReminderWanted,
  context: Context,
) {
  const asking = await context.slack.user(context.person.user);
  const wanted: Schedule = {
    owner: context.person.user,
    days: [...on],
    time: at,
    zone: typeof asking?.zone === 'string' ? asking.zone : 'Etc/UTC',
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

export const reminderMessage = (made: Reminder, { repository: of }: ReminderWanted) =>
  message({
    blocks: doneCard({
      says: made.personal
        ? md`You’ll get a reminder of your review requests.`
        : md`This channel will get a reminder of pull requests waiting for review${of ? md` in ${fullName(of)}` : md``}.`,
      facts: [...reminderWords(made), 'skipped when nothing is waiting'],
      buttons: [runButton({ text: 'Remove', command: 'remind remove', args: { reminder: made.id } })],
    }),
  });
