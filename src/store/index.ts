import { createAccounts } from './accounts.js';
import { createChannels } from './channels.js';
import type { Ground } from './ground.js';
import { createJobsOnce } from './jobs-once.js';
import { createKeys } from './keys.js';
import { createPending } from './pending.js';
import type { Connection } from './redis.js';
import type { Seal } from './seal.js';
import { createSettings } from './settings.js';

export interface StoreOptions {
  readonly redis: Connection;
  readonly forgeId: string;
  readonly seal: Seal;
  readonly now?: () => number;
}

export type Store = ReturnType<typeof createStore>;

/** All that Bellows remembers about one forge. */
export function createStore({ redis, forgeId, seal, now = Date.now }: StoreOptions) {
  const ground: Ground = { redis, forge: forgeId, keys: createKeys(forgeId), seal, now };
  return {
    redis,
    forgeId,
    accounts: createAccounts(ground),
    pending: createPending(ground),
    channels: createChannels(ground),
    jobs: createJobsOnce(ground),
    settings: createSettings(ground),
  };
}

export type { Account, Accounts, Credential, Link } from './accounts.js';
export type { ChannelFacts, Repository } from './channels.js';
export type { Person, Place } from './ground.js';
export type { Mark, Stamp } from './jobs-once.js';
export { forgeId, queuePrefix } from './keys.js';
export { createPeople, type Directory, type Origin } from './people.js';
export { type Connection, close, connect, ready } from './redis.js';
export { createSeal, type Seal, SealError, same } from './seal.js';
export type { Settings } from './settings.js';
