import type { Approval } from '../../store/index.js';
import type { Desk } from './desk.js';
import { announce } from './ended.js';
import { runApproved } from './run.js';

/** Jobs are hints: whatever stands pending in the records is taken up here, so a lost job loses nothing. */
export async function sweepApprovals(desk: Desk): Promise<void> {
  for (const approval of await desk.house.store.approvals.due()) {
    await takeUp(desk, approval).catch((error: unknown) =>
      desk.house.log.warn({ approval: approval.id, reason: String(error) }, 'an approval could not be taken up'),
    );
  }
}

async function takeUp(desk: Desk, { id, state, policy }: Approval): Promise<void> {
  const { approvals } = desk.house.store;
  if (state === 'open' && policy.expiresAt <= desk.house.now().getTime()) await approvals.expire(id);
  if (state === 'approved' || state === 'running') await runApproved(desk, id);
  const present = await approvals.get(id);
  if (present && present.told !== present.state) await announce(desk, id);
}
