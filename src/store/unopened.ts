import type { Accounts } from './accounts.js';
import type { createApprovals } from './approvals.js';

export interface Unopened {
  readonly credentials: number;
  readonly approvals: number;
}

interface Sealed {
  readonly accounts: Accounts;
  readonly approvals: ReturnType<typeof createApprovals>;
}

/** How much of the stored data the current keys cannot open: a key is missing, or another one has its id. */
export async function countUnopened({ accounts, approvals }: Sealed): Promise<Unopened> {
  const lost = await Promise.all((await accounts.teams()).map((team) => accounts.countLost(team)));
  const waiting = (await approvals.active()).filter(({ state }) => state === 'open' || state === 'approved');
  const args = await Promise.all(waiting.map(({ id }) => approvals.args(id)));
  return {
    credentials: lost.reduce((sum, each) => sum + each, 0),
    approvals: args.filter((each) => each === undefined).length,
  };
}
