import { say } from '../../view/message.js';
import { code, md } from '../../view/text.js';
import { publish } from './ask.js';
import type { Desk } from './desk.js';
import { runApproved } from './run.js';

/** Jobs are hints: whatever stands pending in the records is taken up here, so a lost job loses nothing. */
export async function sweepApprovals(desk: Desk): Promise<void> {
  const { approvals } = desk.house.store;
  for (const approval of await approvals.due()) {
    const late = approval.state === 'open' && approval.policy.expiresAt <= desk.house.now().getTime();
    if (late && (await approvals.expire(approval.id)) === 'expired') {
      const words = md`Nobody decided on ${code(approval.command)} in time: it was not run. Ask again if it is still wanted.`;
      await desk.answers.tell(approval.requester, say(words));
    }
    if (approval.state === 'approved' || approval.state === 'running') await runApproved(desk, approval.id);
    const present = await approvals.get(approval.id);
    if (present && present.told !== present.state) await publish(desk, present);
  }
}
