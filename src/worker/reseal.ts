import type { Log } from '../log.js';
import { type Store, unopened, unsignedRecords } from '../store/index.js';

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

/** The same for signed records, and a log line about unsigned ones. Runs in the background: there may be many. */
export async function resignAll(store: Store, log: Log): Promise<void> {
  // with a single key there is nothing to do
  if (store.seal.labels.length > 1) {
    let moved = (await store.subscriptions.resign()) + (await store.reminders.resign());
    moved += (await store.handovers.resign()) + (await store.agents.resign()) + (await store.absences.resign());
    for (const place of await store.outbox.pending()) moved += await store.outbox.resign(place);
    for (const { source } of await store.sources.list()) moved += await store.marks.resign(source);
    if (moved > 0) log.info({ moved, under: store.seal.keyId }, 'records signed again with this key');
  }
  const { subscriptions, reminders } = await unsignedRecords(store);
  if (subscriptions + reminders === 0) return;
  log.warn(
    { subscriptions, reminders },
    'these are not signed with BELLOWS_KEYS and are not used: run bellows records',
  );
}
