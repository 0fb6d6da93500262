import type { Approval, Party } from '../../store/index.js';
import type { Desk } from './desk.js';

/** Takes back the approvals of people who left, signed out or lost their credential since; says whose. */
export async function dropLostVotes(desk: Desk, approval: Approval): Promise<readonly Party[]> {
  const { accounts, approvals } = desk.house.store;
  const lost: Party[] = [];
  for (const { by, verdict } of approval.decisions) {
    if (verdict !== 'approve') continue;
    const account = await accounts.get(by);
    if (account?.state === 'active' && account.verified) continue;
    if (await approvals.unvote(approval.id, by)) lost.push(by);
  }
  return lost;
}
