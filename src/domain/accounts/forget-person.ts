import { sourceKey } from '../../feed/sources/source.js';
import type { Account, Person, Reminder, Store } from '../../store/index.js';

/** What is still there after forgetting is the channels', not the person's. */
export interface Forgotten {
  readonly account: Account | undefined;
  /** Requests for approval that were open. */
  readonly withdrawn: number;
}

/** Nothing in the person's name is kept, waits or is on its way: whether they signed out or left. */
export async function forgetPerson(store: Store, person: Person, why: string): Promise<Forgotten> {
  const account = await store.accounts.get(person);
  await store.accounts.forget(person);
  await store.agents.forget(person);
  const inbox = sourceKey({ kind: 'inbox', ...person });
  await store.sources.drop(inbox);
  await store.marks.drop(inbox);
  const reminders = (await store.reminders.ownedBy(person)).filter(({ personal }) => personal);
  await forgetWaiting(store, person, inbox, reminders);
  for (const { id } of reminders) await store.reminders.remove(id);
  let withdrawn = 0;
  for (const { id } of await store.approvals.askedBy(person)) {
    // the card is drawn again by the sweep: its state is untold
    if ((await store.approvals.cancel(id, why)) === 'withdrawn') withdrawn += 1;
  }
  return { account, withdrawn };
}

/** Personal messages that quiet hours or Slack held back. Their ids tell whose they are, so Slack need not be asked. */
async function forgetWaiting(
  store: Store,
  { team, user }: Person,
  inbox: string,
  reminders: readonly Reminder[],
): Promise<void> {
  const starts = [`${inbox}:`, `relink:${user}:`, ...reminders.map(({ id }) => `remind:${id}:`)];
  for (const place of await store.outbox.pending()) {
    if (place.team !== team || !place.channel.startsWith('D')) continue;
    const { size } = await store.outbox.view(place);
    const { entries } = await store.outbox.view(place, size);
    const own = entries.filter(({ id }) => starts.some((start) => id.startsWith(start)));
    await store.outbox.forget(
      place,
      own.map(({ id }) => id),
    );
  }
}
