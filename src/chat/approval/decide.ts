import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import type { Approval, Party } from '../../store/index.js';
import { type Message, say } from '../../view/message.js';
import { code, join, type Mrkdwn, md, mention } from '../../view/text.js';
import type { DecisionJob } from '../act-job.js';
import type { Observation } from '../command.js';
import type { Role } from '../context.js';
import type { Members } from '../roles.js';
import { atLeast } from '../roles.js';
import { publish } from './ask.js';
import type { Desk } from './desk.js';
import { mayApprove, policyFor } from './policy.js';
import { readAsk, runApproved } from './run.js';
import { dropLostVotes } from './votes.js';

/** One click. Roles are read again, the bound state is read again, and one click wins among many. */
export async function decideApproval(desk: Desk, job: DecisionJob): Promise<Message | undefined> {
  const approval = await desk.house.store.approvals.get(job.approval);
  if (!approval) throw new UserError('This request is no more. Ask again.');
  if (approval.requester.team !== job.person.team) throw new UserError('This request belongs to another workspace.');
  if (job.verdict === 'withdraw') return withdraw(desk, approval, job);
  await refuseUnfit(desk, approval, job);
  if (job.verdict === 'approve') {
    const changed = await whatChanged(desk, approval);
    if (changed !== undefined) {
      await desk.house.store.approvals.cancel(approval.id, changed);
      await republish(desk, approval.id);
      await refused(desk, approval, changed, md`${code(approval.command)} was not run: ${changed}`);
      return say(md`Not run: ${changed}`);
    }
  }
  const lost = await dropLostVotes(desk, approval);
  const account = await desk.house.store.accounts.get(job.person);
  const by = { ...job.person, login: account?.login ?? null, forgeUserId: account?.forgeUserId ?? null };
  const outcome = await desk.house.store.approvals.decide(approval.id, { by, verdict: job.verdict });
  await republish(desk, approval.id);
  switch (outcome) {
    case 'approved':
      await runApproved(desk, approval.id);
      return undefined;
    case 'denied':
      await refused(desk, approval, `denied by ${job.person.user}`, md`${code(approval.command)} was denied.`);
      return undefined;
    case 'counted':
      return lost.length === 0 ? undefined : say(md`Counted. ${lostWords(lost)}`);
    case 'self':
      throw new UserError('Somebody else has to approve what you asked for.');
    case 'again':
      throw new UserError('You have decided on this already.');
    case 'expired':
    case 'settled':
    case 'unknown':
      throw new UserError('It is too late: this was decided, withdrawn or has expired.');
  }
}

const lostWords = (lost: readonly Party[]): Mrkdwn =>
  md`The approval of ${join(
    lost.map(({ user, login }) => mention(user, login ?? undefined)),
    ', ',
  )} counts no more: no working forge account is linked there now.`;

async function refused(desk: Desk, approval: Approval, why: string, words: Mrkdwn): Promise<void> {
  const { id, command, requester } = approval;
  await desk.record({
    person: { team: requester.team, user: requester.user },
    login: requester.login ?? '',
    command,
    args: {},
    operations: [],
    outcome: 'refused',
    detail: why,
    durationMs: 0,
    approval: { id, approvers: [] },
  });
  await desk.answers.tell(requester, say(words));
}

async function withdraw(desk: Desk, approval: Approval, job: DecisionJob): Promise<undefined> {
  const outcome = await desk.house.store.approvals.withdraw(approval.id, job.person);
  if (outcome === 'not-yours')
    throw new UserError('Only the person who asked can withdraw it. You can deny it instead.');
  if (outcome !== 'withdrawn') throw new UserError('It is too late to withdraw: this was decided or has expired.');
  await republish(desk, approval.id);
}

/** The approver must hold the role now, the requester still; both must be two people here and at the forge. */
async function refuseUnfit(desk: Desk, approval: Approval, job: DecisionJob): Promise<void> {
  const { roles, store } = desk.house;
  const { policy, requester } = approval;
  const approvers: Role | Members = roleIn(policy.roles) ?? { users: policy.users, groups: policy.groups };
  if (!(await mayApprove(job.person, approvers, roles))) {
    throw new UserError('You are not among those who may decide on this.');
  }
  const account = await store.accounts.get(job.person);
  if (account?.state !== 'active' || !account.verified) {
    throw new UserError(
      'Link your own forge account first, so that it is sure that two people are two: sign in, then click again.',
    );
  }
  const { command } = await readAsk(desk, approval);
  const wanted = policyFor(command, desk.policies)?.ask ?? command.role;
  const held = await roles.fresh(requester);
  if (!atLeast(held, command.role) || !atLeast(held, wanted)) {
    await store.approvals.cancel(approval.id, 'The person who asked may no longer ask for this.');
    await republish(desk, approval.id);
    throw new UserError('The person who asked may no longer ask for this: it was not run.');
  }
}

const roleIn = (roles: readonly string[]): Role | undefined =>
  roles.find((role): role is Role => role === 'everyone' || role === 'maintainer' || role === 'admin');

/** Undefined when everything still is as it was shown. */
async function whatChanged(desk: Desk, approval: Approval): Promise<string | undefined> {
  if (approval.bound === null) return undefined;
  const present = await boundNow(desk, approval);
  if (typeof present === 'string') return present;
  const before = new Map(Object.entries(typeof approval.bound === 'object' ? approval.bound : {}));
  const names = [...new Set([...before.keys(), ...Object.keys(present)])];
  const changes = names
    .filter((name) => JSON.stringify(before.get(name)) !== JSON.stringify(present[name]))
    .map((name) => `${name} was ${String(before.get(name) ?? 'unset')}, is ${String(present[name] ?? 'unset')}`);
  return changes.length === 0 ? undefined : `it changed since it was shown: ${changes.join('; ')}.`;
}

/** What stands there now; a sentence where the command by now refuses it. */
async function boundNow(desk: Desk, approval: Approval): Promise<Observation['bound'] | string> {
  const { command, args, context } = await readAsk(desk, approval);
  try {
    return command.observe ? (await command.observe(args, context)).bound : {};
  } catch (error) {
    if (error instanceof UserError) return error.message;
    if (error instanceof ApiError && error.kind === 'notFound') return 'it is not there any more.';
    throw error;
  }
}

async function republish(desk: Desk, id: string): Promise<void> {
  const present = await desk.house.store.approvals.get(id);
  if (present) await publish(desk, present);
}
