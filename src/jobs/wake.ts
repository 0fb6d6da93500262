import type { Queue } from 'bullmq';
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

/** The forge reports activity in a repository: everything that reads it is due now. Sources nobody follows stay idle. */
export async function wakeRepository(
  store: Store,
  repoId: number,
  ownerId: number | undefined,
  people: readonly string[] = [],
  checked?: string,
): Promise<void> {
  const [named] = await Promise.all([
    inboxes(store, people),
    checked === undefined ? undefined : store.checks.wake(repoId, { sha: checked }, checksMs),
  ]);
  const repo = sourceKey({ kind: 'repo', id: repoId });
  const known = await store.sources.wake(
    repo,
    sourceKey({ kind: 'runs', id: repoId }),
    ...(ownerId === undefined ? [] : [sourceKey({ kind: 'items', id: ownerId })]),
    ...named,
  );
  // for a polled repository, its owner's feed adds nothing
  if (!known.includes(repo) && ownerId !== undefined)
    await store.sources.wake(sourceKey({ kind: 'owner', id: ownerId }));
}

async function inboxes({ accounts }: Store, people: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const team of await accounts.teams()) {
    const few = await accounts.users(team, mostInboxes);
    const named = few ? [] : await Promise.all(people.map((login) => accounts.findByLogin(team, login)));
    const users = few ?? named.flat().map(({ person }) => person.user);
    found.push(...users.map((user) => sourceKey({ kind: 'inbox', team, user })));
  }
  return found;
}
