import type { Delivery } from '../../feed/delivery.js';
import { sourceKey } from '../../feed/sources/source.js';
import type { Account, OutboxEntry, Person, Reminder, Store } from '../../store/index.js';

/** What remains afterwards belongs to channels, not to the person. */
export interface Forgotten {
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
    if (place.team !== team || !place.channel.startsWith('D')) continue;
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
