import type { Party, Store } from '../../src/store/index.js';

type Ask = Parameters<Store['approvals']['create']>[0];

/** A person in Slack and at the forge. */
export const party = (user: string, forgeUserId: number | null, team = 'T1'): Party => ({
  team,
  user,
  login: forgeUserId === null ? null : `login${forgeUserId}`,
  forgeUserId,
});

/** An approval request as the store takes it: one other maintainer within a minute. */
export const asked = (now: number, more: Partial<Ask> = {}, policy: Partial<Ask['policy']> = {}): Ask => ({
  id: 'a1',
  command: 'run force-cancel',
  shape: 'x1',
  requester: party('U1', 1),
  channel: 'C1',
  policy: {
    needed: 1,
    roles: ['maintainer'],
    users: [],
    groups: [],
    teams: [],
    requesterCounts: false,
    authorsCount: true,
    expiresAt: now + 60_000,
    ...policy,
  },
  bound: { run: 9, attempt: 1, status: 'in_progress' },
  authors: [],
  shown: { age: '3 h' },
  ...more,
});
