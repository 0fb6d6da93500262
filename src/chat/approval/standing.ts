import { type Approval, type Party, samePerson } from '../../store/index.js';
import { outsideLimits } from '../agent.js';
import type { Approvers, Person, Role } from '../context.js';
import { presentAccount } from '../credential.js';
import type { ApprovalDeps } from '../runtime.js';
import { askersWords, mayApprove, mayAsk, policyFor } from './policy.js';
import type { Readied } from './readied.js';

export type Standing = { readonly party: Party } | { readonly unfit: string };

/** Who someone is now in Slack and at the forge, and whether their click counts: by role and a confirmed account. */
export async function standingOf({ services }: ApprovalDeps, approval: Approval, person: Person): Promise<Standing> {
  const { policy, authors } = approval;
  const approvers: Role | Approvers = roleIn(policy.roles) ?? policy;
  const account = await services.store.accounts.get(person);
  if (!(await mayApprove(services, person, account, approvers))) {
    const others = policy.requesterCounts ? '' : ' other than the requester';
    return { unfit: `Only ${askersWords(approvers)}${others} can decide this.` };
  }
  if (account?.state !== 'active' || !account.verified || account.forgeUserId === null) {
    return { unfit: 'Link your forge account first so we know you’re not the requester, then click again.' };
  }
  if (!policy.authorsCount && authors.includes(account.forgeUserId)) {
    return { unfit: 'You wrote part of this, so someone else has to decide.' };
  }
  const present = await presentAccount(services, person);
  if (!present) {
    return {
      unfit:
        'The forge does not accept your account now, so your click does not count. Link it again, then click again.',
    };
  }
  return { party: { ...person, login: present.login, forgeUserId: account.forgeUserId } };
}

/** The role the policy names, if any. */
export const roleIn = (roles: readonly string[]): Role | undefined =>
  roles.find((role): role is Role => role === 'everyone' || role === 'maintainer' || role === 'admin');

export interface Votes {
  readonly counting: readonly Party[];
  /** Votes whose person lost the role or the account, or has linked another one. */
  readonly lost: readonly Party[];
}

/** The approvals that count now: each from a different forge user, none from the requester. */
export async function votesOf(deps: ApprovalDeps, approval: Approval): Promise<Votes> {
  const counting: Party[] = [];
  const lost: Party[] = [];
  for (const { by, verdict } of approval.decisions) {
    if (verdict !== 'approve') continue;
    const standing = await standingOf(deps, approval, { team: by.team, user: by.user });
    const same = 'party' in standing && standing.party.forgeUserId === by.forgeUserId;
    const own = !approval.policy.requesterCounts && samePerson(approval.requester, by);
    const twice = counting.some((other) => samePerson(other, by));
    if (same && !own && !twice) counting.push(by);
    else lost.push(by);
  }
  return { counting, lost };
}

/** Whether what is signed says that it is over: the state stored beside it may be someone else's. */
export function signedEnd({ decisions, result }: Approval): 'denied' | 'ended' | undefined {
  if (decisions.some(({ verdict }) => verdict === 'deny')) return 'denied';
  return result ? 'ended' : undefined;
}

/** Why the requester, or their agent, may no longer ask for it; undefined if they may. */
export async function unfitRequester(
  deps: ApprovalDeps,
  { requester }: Approval,
  { command, args, context, agent }: Readied,
): Promise<string | undefined> {
  // its repository may have been renamed or transferred since the request
  const outside = agent && (await outsideLimits(agent, command, args, context));
  if (outside !== undefined) return outside;
  const { asks } = await policyFor(command, args, context);
  const held = await deps.services.roles.fresh(requester);
  if (mayAsk(command, asks, held)) return undefined;
  return 'The requester is no longer allowed to run this.';
}
