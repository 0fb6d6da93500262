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
} from '../../store/index.js';
import { addressId } from '../../store/namespace.js';
import type { Notebook } from './finding.js';

/** Whose data this is, and whether the keys can decrypt it. Read-only. */
export async function lookAtData(config: Config, redis: Connection, found: Notebook): Promise<void> {
  const id = await lookAtNamespace(config, redis, found);
  if (id === undefined) return;
  const store = createStore({ redis, forgeId: id, seal: createSeal(config.keys) });
  await lookAtSealed(store, found);
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

async function lookAtSealed(store: Store, found: Notebook): Promise<void> {
  const { credentials, approvals } = await unopened(store);
  if (credentials + approvals === 0) return found.ok('keys: BELLOWS_KEYS can decrypt everything that is stored');
  found.warning(
    `keys: BELLOWS_KEYS cannot decrypt ${credentials} linked accounts and ${approvals} pending approvals`,
    'Add the old key back after the first one. If it is lost, these people have to link again.',
  );
}
