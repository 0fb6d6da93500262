import type { Config } from '../../config.js';
import {
  addressOf,
  type Connection,
  createSeal,
  createStore,
  movedWords,
  readNamespace,
  type Store,
  unnamedIds,
  unnamedWords,
  unopened,
  unsignedRecords,
} from '../../store/index.js';
import { addressId } from '../../store/namespace.js';
import type { Notebook } from './finding.js';

/** Whose data this is, and whether the keys can decrypt it. Read-only. */
export async function lookAtData(config: Config, redis: Connection, found: Notebook): Promise<void> {
  const id = await lookAtNamespace(config, redis, found);
  if (id === undefined) return;
  const store = createStore({ redis, forgeId: id, seal: createSeal(config.keys) });
  await lookAtSealed(store, found);
  await lookAtSigned(store, found);
  await lookAtRotation(store, found);
}

async function lookAtNamespace(config: Config, redis: Connection, found: Notebook): Promise<string | undefined> {
  const known = await readNamespace(redis, config.namespace);
  if (!known) {
    const old = await unnamedIds(redis);
    if (old.length > 0 && !old.includes(addressId(config.forge.url))) {
      found.failure(unnamedWords, 'bellows namespace accept --was <the old FORGE_URL>');
      return undefined;
    }
    found.ok(`namespace: ${config.namespace}, empty until the first start`);
    return undefined;
  }
  if (known.address === addressOf(config.forge.url)) found.ok(`namespace: ${known.name}, for ${known.address}`);
  else found.failure(movedWords(known, config.forge.url), 'bellows namespace accept');
  return known.id;
}

async function lookAtSigned(store: Store, found: Notebook): Promise<void> {
  const { subscriptions, reminders } = await unsignedRecords(store);
  if (subscriptions + reminders === 0)
    return found.ok('records: every subscription and reminder is signed with BELLOWS_KEYS');
  found.warning(
    `records: ${subscriptions} subscriptions and ${reminders} reminders are not signed, so Bellows does not use them`,
    'Review the list with bellows records, then run bellows records sign.',
  );
}

async function lookAtSealed(store: Store, found: Notebook): Promise<void> {
  const { credentials, approvals } = await unopened(store);
  if (credentials + approvals === 0) return found.ok('keys: BELLOWS_KEYS can decrypt everything that is stored');
  found.warning(
    `keys: BELLOWS_KEYS cannot decrypt ${credentials} linked accounts and ${approvals} pending approvals`,
    'Add the old key back after the first one. If it is lost, these people have to link again.',
  );
}

/** A new key is read everywhere before it seals anything: says which of the two steps is next. */
async function lookAtRotation({ rings, seal }: Store, found: Notebook): Promise<void> {
  const [running, used] = await Promise.all([rings.running(), rings.everUsed()]);
  for (const label of seal.labels.filter((each) => !used.has(each))) {
    const [id] = label.split('~');
    const without = running.filter(({ labels }) => !labels.includes(label)).length;
    if (running.length === 0) found.note(`keys: ${id} is new, and no process is running`);
    else if (without > 0)
      found.warning(
        `keys: ${id} is new, and ${without} of ${running.length} running processes do not know it`,
        `Restart them with ${id} in BELLOWS_KEYS, after the current first key. Only then put it first.`,
      );
    else
      found.note(
        `keys: ${id} is new, and all ${running.length} running processes know it`,
        `Next step: put ${id} first in BELLOWS_KEYS and restart.`,
      );
  }
}
