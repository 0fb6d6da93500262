import { runButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { doneCard } from '../../view/cards/outcome.js';
import { count } from '../../view/look.js';
import { message } from '../../view/message.js';
import { channel, code, type Mrkdwn, md } from '../../view/text.js';
import { type Named, named } from '../subscriptions/titles.js';
import { forgetPerson } from './forget-person.js';

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

export async function signOut(_args: unknown, { store, person }: Context) {
  const forgotten = await forgetPerson(store, person, 'The requester signed out.');
  const owned = (await store.subscriptions.ownedBy(person)).filter(({ paused }) => !paused);
  const answersFor = await Promise.all(owned.map((sub) => named(sub, store)));
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
