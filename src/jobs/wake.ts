import type { Queue } from 'bullmq';
import pMap from 'p-map';
import type { Announcement } from '../feed/ports.js';
import { sourceKey } from '../feed/sources/source.js';
import type { Store } from '../store/index.js';
import { hintOptions } from './queues.js';

/** A worker picks up due sources now instead of at its next beat; one job is enough for all who asked before it runs. */
export const takeUpNow = (sweep: Queue) =>
  sweep.add('tick', {}, { ...hintOptions, deduplication: { id: 'tick', keepLastIfActive: true } });

/** Up to this many inboxes are all read for a webhook; beyond that, only those of the people it names. */
const mostInboxes = 50;

/** Several jobs of one commit end together: checked once for all of them. */
const checksMs = 1_000;

/** The forge reports activity in a repository: everything that may show it is due now. Sources nobody follows stay idle. */
export async function wakeRepository(
  store: Store,
  repoId: number,
  { ownerId, people = [], checked, hasItem = false, isRequest = false }: Announcement,
): Promise<void> {
  await Promise.all([
    checked === undefined ? undefined : store.checks.wake(repoId, { sha: checked }, checksMs),
    checked === undefined && !hasItem ? undefined : store.queues.wake(repoId),
  ]);
  const repo = sourceKey({ kind: 'repo', id: repoId });
  const { known, withInboxes } = await store.sources.wakeWithInboxes(
    mostInboxes,
    ...(isRequest ? [] : [repo, sourceKey({ kind: 'runs', id: repoId })]),
    ...(hasItem && ownerId !== undefined ? [sourceKey({ kind: 'items', id: ownerId })] : []),
  );
  const more = [
    // for a polled repository, its owner's feed adds nothing
    ...(isRequest || known.includes(repo) || ownerId === undefined ? [] : [sourceKey({ kind: 'owner', id: ownerId })]),
    ...(withInboxes ? [] : await inboxesOf(store, people)),
  ];
  if (more.length > 0) await store.sources.wake(...more);
}

async function inboxesOf({ accounts }: Store, people: readonly string[]): Promise<string[]> {
  if (people.length === 0) return [];
  const found = await pMap(await accounts.teams(), (team) =>
    Promise.all(people.map((login) => accounts.findByLogin(team, login))),
  );
  return found.flat(2).map(({ person }) => sourceKey({ kind: 'inbox', ...person }));
}
