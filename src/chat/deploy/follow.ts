import { type Deployment, isOver } from '../../store/index.js';
import type { ApprovalDeps } from '../runtime.js';
import { versionOf } from './followed.js';
import { rerunOf, seenNow } from './seen.js';
import { tell } from './tell.js';

/** A rerun is rare: most turns don't look for one. */
const restTurns = 5;

/** Follows every deployment to its end; each step is safe to repeat. */
export function createFollower(deps: ApprovalDeps, everyMs: number) {
  const { services } = deps;
  const { store, log } = services;
  /** What this process has already reported; the outbox would drop repeats too. */
  const reported = new Map<string, string>();
  const looked = new Map<string, number>();

  async function follow(before: Deployment): Promise<void> {
    const now = await seenNow(services, before);
    if (versionOf(now) !== versionOf(before)) await store.deployments.put(now);
    if (reported.get(now.id) !== versionOf(now)) {
      await tell(deps, now);
      reported.set(now.id, versionOf(now));
    }
    if (!isOver(now)) return;
    // only now: nothing else starts until everyone has been notified
    await store.deployments.release(now.environment, now.id);
    reported.delete(now.id);
  }

  /** When nothing is being deployed, checks now and then whether the last, failed deployment was rerun. */
  async function rest(environment: string): Promise<void> {
    const now = services.now().getTime();
    if (now - (looked.get(environment) ?? 0) < restTurns * everyMs) return;
    looked.set(environment, now);
    const [last] = await store.deployments.list(environment);
    const again = last && (await rerunOf(services, last));
    if (!again || (await store.deployments.begin(again))) return;
    await store.deployments.put(again);
  }

  return async (): Promise<void> => {
    for (const name of Object.keys(services.deployments)) {
      const current = await store.deployments.current(name);
      const followed = current ? follow(current) : rest(name);
      await followed.catch((error: unknown) =>
        log.warn({ environment: name, reason: String(error) }, 'a deployment could not be followed'),
      );
    }
  };
}
