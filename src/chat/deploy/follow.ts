import { type Deployment, isOver } from '../../store/index.js';
import type { ApprovalDeps } from '../approval/deps.js';
import { versionOf } from './followed.js';
import { seenNow } from './seen.js';
import { tell } from './tell.js';

/** Follows whatever is being deployed to its end; repeating any part of it changes nothing. */
export function createFollower(deps: ApprovalDeps) {
  const { services } = deps;
  const { store, log } = services;
  /** What this process told already; the outbox would drop it too. */
  const told = new Map<string, string>();

  async function follow(before: Deployment): Promise<void> {
    const now = await seenNow(services, before);
    if (versionOf(now) !== versionOf(before)) await store.deployments.put(now);
    if (told.get(now.id) !== versionOf(now)) {
      await tell(deps, now);
      told.set(now.id, versionOf(now));
    }
    if (!isOver(now)) return;
    // only now: until everybody was told, nothing else begins
    await store.deployments.release(now.environment, now.id);
    told.delete(now.id);
  }

  return async (): Promise<void> => {
    for (const name of Object.keys(services.deployments)) {
      const current = await store.deployments.current(name);
      if (!current) continue;
      await follow(current).catch((error: unknown) =>
        log.warn({ environment: name, reason: String(error) }, 'a deployment could not be followed'),
      );
    }
  };
}
