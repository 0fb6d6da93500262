import { runButton } from '../../chat/actions.js';
import type { Observation } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import type { Delivery } from '../../feed/delivery.js';
import { sourceKey } from '../../feed/sources/source.js';
import type { Account, OutboxEntry, Person, Reminder, Store } from '../../store/index.js';
import { doneCard } from '../../view/cards/outcome.js';
import { count } from '../../view/look.js';
import { message } from '../../view/message.js';
import { channel, code, type Mrkdwn, md } from '../../view/text.js';
import { type Named, nameTarget } from '../subscriptions/target.js';

/** What remains afterwards belongs to channels, not to the person. */
interface Forgotten {
  readonly account: Account | undefined;
  /** Approval requests that were open. */
  readonly withdrawn: number;
}

/** Deletes everything kept, pending or queued for a person who signed out or left. */
export async function forgetPerson(store: Store, person: Person, why: string): Promise<Forgotten> {
  const account = await store.accounts.get(person);
  await store.accounts.forget(person);
  await store.agents.forget(person);
  const inbox = sourceKey({ kind: 'inbox', ...person });
  await store.marks.drop(inbox);
  await store.sources.drop(inbox);
  const reminders = (await store.reminders.ownedBy(person)).filter(({ personal }) => personal);
  await forgetWaiting(store, person, inbox, reminders);
  for (const { id } of reminders) await store.reminders.remove(id);
  let withdrawn = 0;
  for (const { id } of await store.approvals.askedBy(person)) {
    // the sweep redraws the card, since the new state is not announced yet
    if ((await store.approvals.cancel(id, why)) === 'withdrawn') withdrawn += 1;
  }
  return { account, withdrawn };
}

/** Personal messages held back by quiet hours or Slack: known by their ids or their place, without a call to Slack. */
async function forgetWaiting(
  store: Store,
  { team, user }: Person,
  inbox: string,
  reminders: readonly Reminder[],
): Promise<void> {
  const starts = [`${inbox}:`, `relink:${user}:`, ...reminders.map(({ id }) => `remind:${id}:`)];
  for (const place of await store.outbox.pending()) {
    if (place.team !== team || !(place.channel === user || place.channel.startsWith('D'))) continue;
    const isWithThem = (await store.channels.userOf(place)) === user;
    const { size } = await store.outbox.view(place);
    const { entries } = await store.outbox.view(place, size);
    const own = entries.filter(
      (entry) => starts.some((start) => entry.id.startsWith(start)) || (isWithThem && isPersonal(entry)),
    );
    await store.outbox.forget(
      place,
      own.map(({ id }) => id),
    );
  }
}

/** Comments and failed runs are queued under ids that name nobody. What a subscription posts there stays. */
function isPersonal({ body }: OutboxEntry): boolean {
  const delivery = body as Delivery; // signed, so written by this same program
  return delivery.type === 'event' && delivery.subscription === undefined;
}

function stillYours(answersFor: readonly Named[], slash: string): Mrkdwn[] {
  const [first] = answersFor;
  if (!first) return [];
  const at = md`${first.title} in ${channel(first.sub.place.channel)}`;
  const more = answersFor.length > 1 ? md` and ${answersFor.length - 1} more` : md``;
  return [
    md`You still own ${count(answersFor.length, 'subscription')}: ${at}${more}. Their updates will pause soon unless someone else takes over. Hand over with ${code(`${slash} subscribe owner ${first.title} @person`)}.`,
  ];
}

function stillSaid(reminders: number, slash: string): Mrkdwn[] {
  if (reminders === 0) return [];
  const [stay, them] =
    reminders === 1 ? ['channel reminder stays', 'it'] : [`${reminders} channel reminders stay`, 'them'];
  return [md`Your ${stay} active. To remove ${them}, see ${code(`${slash} remind list`)}.`];
}

export const signOutButton = () =>
  runButton({
    text: 'Sign out',
    command: 'signout',
    style: 'danger',
    confirm: {
      title: 'Sign out?',
      text: 'Your token, settings, agents and pending requests are deleted.',
      confirm: 'Sign out',
      deny: 'Stay linked',
    },
  });

/** For a dry run: what would be deleted, and what would stay. */
export async function observeSignOut(_args: unknown, { store, person }: Context): Promise<Observation> {
  const account = await store.accounts.get(person);
  if (!account) return { bound: {}, shown: [['Account', 'You are not linked, so nothing would be deleted.']] };
  const reminders = await store.reminders.ownedBy(person);
  const withdrawn = (await store.approvals.askedBy(person)).length;
  const owned = await store.subscriptions.ownedBy(person);
  const mine = reminders.filter(({ personal }) => personal).length;
  return {
    bound: {},
    shown: [
      ['It would unlink', account.login ?? 'your account'],
      [
        'It would delete',
        ['your token, settings and agents', count(withdrawn, 'pending request'), count(mine, 'personal reminder')],
      ],
      ['It would keep', [count(owned.length, 'subscription'), count(reminders.length - mine, 'channel reminder')]],
    ],
  };
}

export async function signOut(_args: unknown, { store, person }: Context) {
  const forgotten = await forgetPerson(store, person, 'The requester signed out.');
  const owned = (await store.subscriptions.ownedBy(person)).filter(({ paused }) => !paused);
  const answersFor = await Promise.all(owned.map((sub) => nameTarget(sub, store)));
  return { ...forgotten, answersFor, reminders: (await store.reminders.ownedBy(person)).length };
}

export function signedOutMessage(
  { account, withdrawn, answersFor, reminders }: Awaited<ReturnType<typeof signOut>>,
  _args: unknown,
  { slash }: Context,
) {
  const left = answersFor.length + reminders > 0;
  const says = account
    ? md`Signed out. Your token, settings, agents and pending requests were deleted. Delete the token on the forge too if you no longer need it.`
    : md`You are not linked.${left ? md`` : md` Bellows stores nothing about you.`}`;
  return message({
    blocks: doneCard({
      says,
      but: [...stillYours(answersFor, slash), ...stillSaid(reminders, slash)],
      facts: withdrawn > 0 ? [`${count(withdrawn, 'open request')} for approval withdrawn`] : [],
    }),
  });
}
