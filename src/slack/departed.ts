import type { MessageDelivery } from '../feed/delivery.js';
import type { Log } from '../log.js';
import type { Person, Store, Subscription } from '../store/index.js';
import { say } from '../view/message.js';
import { code, md, mention } from '../view/text.js';

const reason = 'The person who answered for it has left.';

/** A deactivated person acts no more: nothing in their name is kept, waits or is posted on their word. */
export async function departed(store: Store, person: Person, slash: string, log: Log): Promise<void> {
  const linked = await store.accounts.forget(person);
  await store.reminders.forget(person);
  const asked = await store.approvals.askedBy(person);
  // The card is drawn again by the sweep: its state is untold.
  for (const approval of asked) await store.approvals.cancel(approval.id, 'The person who asked has left.');
  const owned = (await store.subscriptions.ownedBy(person)).filter(({ paused }) => !paused);
  for (const sub of owned) await hold(store, sub, slash);
  log.info({ user: person.user, linked, asked: asked.length, owned: owned.length }, 'a person left');
}

/** Whether the owner may see the repository can be checked no more, so somebody else has to answer for it. */
async function hold(store: Store, sub: Subscription, slash: string): Promise<void> {
  const at = Date.now();
  await store.subscriptions.change(sub, { paused: { reason, at } });
  const name = (await store.subscriptions.nameOf(sub.target)) ?? 'a repository';
  const words = md`Updates on ${name} are paused: ${mention(sub.owner)} answered for them and has left. Whoever wants them goes on with ${code(`${slash} subscribe ${name}`)}.`;
  const body: MessageDelivery = { type: 'message', message: say(words) };
  await store.outbox.append(sub.place, [
    { id: `left:${sub.owner}:${name}:${at}`, body: JSON.parse(JSON.stringify(body)) },
  ]);
}
