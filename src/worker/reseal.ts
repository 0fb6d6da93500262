import type { Log } from '../log.js';
import type { Store } from '../store/index.js';

/** After a change of BELLOWS_KEYS: every credential moves under the first key, so that the old one can be taken away. */
export async function resealAll(store: Store, log: Log): Promise<void> {
  for (const team of await store.accounts.teams()) {
    const moved = await store.accounts.reseal(team);
    if (moved > 0) log.info({ team, moved, under: store.seal.keyId }, 'credentials moved under the first key');
    const lost = (await store.accounts.list(team)).filter(({ state }) => state === 'revoked').length;
    if (lost > 0) log.info({ team, lost }, 'people whose credential does not work have to link again');
  }
}
