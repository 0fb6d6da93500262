import { parseArgs } from 'node:util';
import { readConfig } from '../config.js';
import { UserError } from '../errors.js';
import { type Store, subscriptionId } from '../store/index.js';
import { type Print, withStore } from './with-store.js';

/** Someone with write access to Redis but no key can leave records there; only an operator can make them count. */
export async function run(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
  print: Print = console.log,
): Promise<number> {
  const { positionals } = parseArgs({ args: [...args], allowPositionals: true });
  const [word = 'list', ...more] = positionals;
  if (more.length > 0 || !['list', 'sign'].includes(word))
    throw new UserError('Usage: bellows records, or bellows records sign');
  await withStore(readConfig(env), (store) => (word === 'sign' ? sign(store, print) : list(store, print)));
  return 0;
}

async function list({ subscriptions, reminders }: Store, print: Print): Promise<void> {
  const subs = await subscriptions.refused();
  const timed = await reminders.refused();
  for (const sub of subs) {
    const name = (await subscriptions.nameOf(sub.target)) ?? 'unknown';
    print(`subscription  ${subscriptionId(sub)}  ${name}  owner ${sub.owner}`);
  }
  for (const { id, channel, owner, personal } of timed)
    print(`reminder      ${id}  ${channel}  owner ${owner}${personal ? '  personal' : ''}`);
  if (subs.length + timed.length === 0) print('Every subscription and reminder is signed.');
  else print('Each one posts to its channel what its owner can see. If you expect them all, run: bellows records sign');
}

async function sign({ subscriptions, reminders }: Store, print: Print): Promise<void> {
  const [subs, timed] = [await subscriptions.adopt(), await reminders.adopt()];
  print(`Signed ${subs} subscriptions and ${timed} reminders.`);
}
