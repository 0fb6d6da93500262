import { sourceKey } from '../feed/sources/source.js';
import type { Store } from '../store/index.js';

/** A repository moved, says the forge: everything that reads it is due now. What nobody follows stays asleep. */
export async function wakeRepository(store: Store, repoId: number, ownerId: number | undefined): Promise<void> {
  const keys = [
    sourceKey({ kind: 'repo', id: repoId }),
    sourceKey({ kind: 'runs', id: repoId }),
    ...(ownerId === undefined
      ? []
      : [sourceKey({ kind: 'owner', id: ownerId }), sourceKey({ kind: 'items', id: ownerId })]),
  ];
  await Promise.all(keys.map((key) => store.sources.wake(key)));
}
