import { command } from '../../chat/command.js';
import { doneCard } from '../../view/cards/outcome.js';
import { count } from '../../view/look.js';
import { message } from '../../view/message.js';
import { channel, code, type Mrkdwn, md } from '../../view/text.js';
import { type Named, named } from '../subscribe/shown.js';
import { forgetPerson } from './forget-person.js';

export const signout = command({
  name: 'signout',
  title: 'Sign out',
  summary: 'Forget your linked account and everything kept about you',
  examples: ['signout'],
  fields: {},
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: [],
  account: 'none',
  plan: () => [],
  async run(_args, { store, person }) {
    const forgotten = await forgetPerson(store, person, 'The person who asked has signed out.');
    const owned = (await store.subscriptions.ownedBy(person)).filter(({ paused }) => !paused);
    const answersFor = await Promise.all(owned.map((sub) => named(sub, store)));
    return { ...forgotten, answersFor, reminders: (await store.reminders.ownedBy(person)).length };
  },
  reply({ account, withdrawn, answersFor, reminders }) {
    const left = answersFor.length + reminders > 0;
    const says = account
      ? md`Forgot ${code(account.login)}: the credential, your settings and what waited for you are gone. The token itself still exists on the forge; delete it there if it is not needed.`
      : md`You were not linked. ${left ? '' : 'Nothing is kept about you.'}`;
    return message({
      blocks: doneCard({
        says,
        but: [...stillYours(answersFor), ...stillSaid(reminders)],
        facts: withdrawn > 0 ? [`${count(withdrawn, 'open request')} for approval withdrawn`] : [],
      }),
    });
  },
});

function stillYours(answersFor: readonly Named[]): Mrkdwn[] {
  const [first] = answersFor;
  if (!first) return [];
  const at = md`${first.title} in ${channel(first.sub.place.channel)}`;
  const more = answersFor.length > 1 ? ` and ${answersFor.length - 1} more` : '';
  return [
    md`You still answer for ${count(answersFor.length, 'subscription')}: ${at}${more}. Without a linked owner updates pause in a day or two; hand over there with ${code(`/forge subscribe owner ${first.title} @person`)}.`,
  ];
}

function stillSaid(reminders: number): Mrkdwn[] {
  if (reminders === 0) return [];
  return [
    md`In channels stays what you set up there: ${count(reminders, 'reminder')}. See and remove with ${code('/forge remind list')}.`,
  ];
}
