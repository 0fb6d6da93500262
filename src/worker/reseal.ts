import type { Log } from '../log.js';
import { type Store, unopened } from '../store/index.js';

/** After a change of BELLOWS_KEYS: every credential moves under the first key, so that the old one can be taken away. */
export async function resealAll(store: Store, log: Log): Promise<void> {
  for (const team of await store.accounts.teams()) {
    const moved = await store.accounts.reseal(team);
    if (moved > 0) log.info({ team, moved, under: store.seal.keyId }, 'credentials moved under this key');
  }
  const lost = await unopened(store);
  if (lost.credentials + lost.approvals === 0) return;
  log.warn(
    { ...lost },
    'BELLOWS_KEYS cannot open some of what is stored: put the missing key back, or these people have to link again',
  );
}
