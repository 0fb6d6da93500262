import type { Approval } from '../../store/index.js';
import type { ApprovalDeps } from '../runtime.js';
import { announce } from './ended.js';
import { runApproved } from './run.js';

/** Jobs are only hints: this picks up everything still pending in the records, so a lost job loses nothing. */
export async function sweepApprovals(deps: ApprovalDeps): Promise<void> {
  for (const approval of await deps.services.store.approvals.due()) {
    await takeUp(deps, approval).catch((error: unknown) =>
      deps.services.log.warn({ approval: approval.id, reason: String(error) }, 'an approval could not be processed'),
    );
  }
}

async function takeUp(deps: ApprovalDeps, { id, state, policy }: Approval): Promise<void> {
  const { approvals } = deps.services.store;
  if (state === 'open' && policy.expiresAt <= deps.services.now().getTime()) await approvals.expire(id);
  if (state === 'approved' || state === 'running') await runApproved(deps, id);
  const present = await approvals.get(id);
  if (present && present.announced !== present.state) await announce(deps, id);
}
