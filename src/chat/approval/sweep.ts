import { publish } from './ask.js';
import type { Desk } from './desk.js';
import { runApproved } from './run.js';

/** Jobs are hints: whatever stands pending in the records is taken up here, so a lost job loses nothing. */
export async function sweepApprovals(desk: Desk): Promise<void> {
  const { approvals } = desk.house.store;
  for (const approval of await approvals.due()) {
    if (approval.state === 'open' && approval.policy.expiresAt <= desk.house.now().getTime())
      await approvals.expire(approval.id);
    if (approval.state === 'approved' || approval.state === 'running') await runApproved(desk, approval.id);
    const present = await approvals.get(approval.id);
    if (present && present.told !== present.state) await publish(desk, present);
  }
}
