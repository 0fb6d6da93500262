import { UserError } from '../../errors.js';
import type { Approval, Party } from '../../store/index.js';
import { type Message, say } from '../../view/message.js';
import { join, type Mrkdwn, md, mention } from '../../view/text.js';
import type { DecisionJob } from '../act-job.js';
import { publish } from './ask.js';
import type { Desk } from './desk.js';
import { announce } from './ended.js';
import { auditedArgs, readAsk } from './readied.js';
import { whatChanged } from './recheck.js';
import { runApproved } from './run.js';
import { standingOf, unfitRequester, votesOf } from './standing.js';

/** One click. What is refused is written down with who clicked. */
export async function decideApproval(desk: Desk, job: DecisionJob): Promise<Message | undefined> {
  const approval = await desk.house.store.approvals.get(job.approval);
  if (!approval) throw new UserError('This request no longer exists. Ask again.');
  if (approval.requester.team !== job.person.team) throw new UserError('This request belongs to another workspace.');
  try {
    refuseDecided(desk, approval);
    return job.verdict === 'withdraw' ? await withdraw(desk, approval, job) : await decide(desk, approval, job);
  } catch (error) {
    if (error instanceof UserError) await recordRefusal(desk, approval, job, error.message);
    throw error;
  }
}

const over: Readonly<Partial<Record<Approval['state'], string>>> = {
  approved: 'This request was already approved.',
  running: 'This request was already approved.',
  done: 'This request was already approved, and it was run.',
  failed: 'This request was already approved, but it was not done: see the card.',
  unknown: 'This request was already approved; its outcome is unknown: see the card.',
  denied: 'This request was already denied.',
  withdrawn: 'This request was already withdrawn.',
  expired: 'This request has expired. Ask again.',
};

/** Before anything else: what was decided stays decided, whatever became of its subject since. */
function refuseDecided(desk: Desk, { state, policy }: Approval): void {
  const late = state === 'open' && desk.house.now().getTime() >= policy.expiresAt;
  const words = over[late ? 'expired' : state];
  if (words !== undefined) throw new UserError(words);
}

/** Roles and accounts of everybody and the bound state are read again, and one click wins among many. */
async function decide(desk: Desk, approval: Approval, job: DecisionJob): Promise<Message | undefined> {
  const { approvals } = desk.house.store;
  const { id } = approval;
  const standing = await standingOf(desk, approval, job.person);
  if ('unfit' in standing) throw new UserError(standing.unfit);
  if (job.verdict === 'approve') {
    const ready = await readAsk(desk, approval);
    const wrong = (await unfitRequester(desk, approval, ready)) ?? (await whatChanged(desk, approval));
    if (wrong !== undefined) {
      await approvals.cancel(id, wrong);
      await announce(desk, id);
      return say(md`Not run: ${wrong}`);
    }
  }
  const { lost } = await votesOf(desk, approval);
  for (const party of lost) await approvals.unvote(id, party);
  if (job.verdict === 'withdraw') throw new Error('withdrawing is no decision');
  const outcome = await approvals.decide(id, { by: standing.party, verdict: job.verdict });
  switch (outcome) {
    case 'approved':
      await republish(desk, id);
      await runApproved(desk, id);
      return undefined;
    case 'denied':
      await announce(desk, id);
      return undefined;
    case 'counted':
      await republish(desk, id);
      return lost.length === 0 ? undefined : say(md`Counted. ${lostWords(lost)}`);
    case 'self':
      throw new UserError('Someone else has to approve what you asked for.');
    case 'unconfirmed':
      throw new UserError('The forge cannot confirm who your account belongs to, so it cannot approve this.');
    case 'again':
      throw new UserError('You have already decided on this.');
    case 'expired':
    case 'settled':
    case 'unknown':
      throw new UserError('This request was already decided, withdrawn or has expired.');
  }
}

const lostWords = (lost: readonly Party[]): Mrkdwn =>
  md`The approval of ${join(
    lost.map(({ user, login }) => mention(user, login ?? undefined)),
    ', ',
  )} no longer counts: they lost the role, or their forge account is not the one that approved.`;

async function withdraw(desk: Desk, { id }: Approval, job: DecisionJob): Promise<undefined> {
  const outcome = await desk.house.store.approvals.withdraw(id, job.person);
  if (outcome === 'not-yours')
    throw new UserError('Only the person who asked can withdraw it. You can deny it instead.');
  if (outcome !== 'withdrawn') throw new UserError('This request was already decided or has expired.');
  await announce(desk, id);
}

async function recordRefusal(desk: Desk, approval: Approval, job: DecisionJob, why: string): Promise<void> {
  const account = await desk.house.store.accounts.get(job.person);
  await desk.record({
    person: job.person,
    login: account?.login ?? '',
    command: approval.command,
    args: await auditedArgs(desk, approval),
    operations: [],
    outcome: 'refused',
    detail: `${job.verdict} refused: ${why}`,
    durationMs: 0,
    approval: { id: approval.id, approvers: [] },
  });
}

async function republish(desk: Desk, id: string): Promise<void> {
  const present = await desk.house.store.approvals.get(id);
  if (present) await publish(desk, present);
}
