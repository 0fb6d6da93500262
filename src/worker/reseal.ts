import type { Log } from '../log.js';
import { type Store, unopened } from '../store/index.js';

/** After a change of BELLOWS_KEYS: reseals every credential with the first key, so that the old one can be removed. */
export async function resealAll(store: Store, log: Log): Promise<void> {
  for (const team of await store.accounts.teams()) {
    const moved = await store.accounts.reseal(team);
    if (moved > 0) log.info({ team, moved, under: store.seal.keyId }, 'tokens are now encrypted with this key');
  }
  const lost = await unopened(store);
  if (lost.credentials + lost.approvals === 0) return;
  log.warn(
    { ...lost },
    'BELLOWS_KEYS cannot open some of what is stored: add the missing key back, or these people must link again',
  );
}

/** The same for signed records. Runs in the background: there may be many. */
export async function resignAll({ seal, subscriptions, handovers, agents }: Store, log: Log): Promise<void> {
  if (seal.keyCount === 1) return;
  const moved = (await subscriptions.resign()) + (await handovers.resign()) + (await agents.resign());
  if (moved > 0) log.info({ moved, under: seal.keyId }, 'records signed again with this key');
}
