import { UserError } from '../../errors.js';
import type { Approval, Party, Person } from '../../store/index.js';
import { type Message, say } from '../../view/message.js';
import { codeText, join, type Mrkdwn, md, mentionOf } from '../../view/text.js';
import type { DecisionJob } from '../act-job.js';
import { inWords } from '../explain.js';
import type { ApprovalDeps } from '../runtime.js';
import { auditedArgs, readAsk } from './readied.js';
import { announce, runApproved, whatChanged, whyNoLonger } from './run.js';
import { signedEnd, standingOf, votesOf } from './standing.js';

/** One click. Refusals are recorded with who clicked. */
export async function decideApproval(deps: ApprovalDeps, job: DecisionJob): Promise<Message | undefined> {
  const approval = await deps.services.store.approvals.get(job.approval);
  if (!approval) throw new UserError('This request no longer exists. Ask again.');
  if (approval.requester.team !== job.person.team) throw new UserError('This request belongs to another workspace.');
  if (isOwnDecision(approval, job)) {
    await announce(deps, approval.id);
    return undefined;
  }
  try {
    refuseDecided(deps, approval);
    return job.verdict === 'withdraw' ? await withdraw(deps, approval, job) : await decide(deps, approval, job);
  } catch (error) {
    if (error instanceof UserError) await recordRefusal(deps, approval, job, inWords(error, deps.services.slash));
    throw error;
  }
}

/** This click was counted before a crash: not refused, only shown. A vote is older than any further click. */
function isOwnDecision({ decisions, state, result, requester }: Approval, job: DecisionJob): boolean {
  if (job.verdict === 'withdraw') return state === 'withdrawn' && !result && isSameUser(requester, job.person);
  return decisions.some(
    ({ by, verdict, at }) => verdict === job.verdict && isSameUser(by, job.person) && at >= job.acceptedAt,
  );
}

const isSameUser = (one: Person, other: Person) => one.team === other.team && one.user === other.user;

const over: Readonly<Partial<Record<Approval['state'], string>>> = {
  approved: 'This request was already approved.',
  running: 'This request was already approved.',
  done: 'This request was already approved, and it was run.',
  failed: 'This request was approved but didn’t go through. See the card for the reason.',
  unknown: 'This request was already approved; its outcome is unknown: see the card.',
  denied: 'This request was already denied.',
  withdrawn: 'This request was already withdrawn.',
  expired: 'This request has expired. Ask again.',
};

/** Checked first: a decision stays, whatever happened to its subject since. */
function refuseDecided(deps: ApprovalDeps, approval: Approval): void {
  const { state, policy } = approval;
  const late = state === 'open' && deps.services.now().getTime() >= policy.expiresAt;
  const end = signedEnd(approval);
  const ended = end === 'denied' ? over.denied : end && 'This request has ended. Ask again.';
  const words = over[late ? 'expired' : state] ?? ended;
  if (words !== undefined) throw new UserError(words);
}

/** Everyone's roles and accounts and the bound state are read again; among many clicks, one wins. */
async function decide(deps: ApprovalDeps, approval: Approval, job: DecisionJob): Promise<Message | undefined> {
  const { approvals } = deps.services.store;
  const { id } = approval;
  const standing = await standingOf(deps, approval, job.person);
  if ('unfit' in standing) throw new UserError(standing.unfit);
  if (job.verdict === 'approve') {
    const ready = await readAsk(deps, approval);
    const wrong = (await whyNoLonger(deps, approval, ready)) ?? (await whatChanged(deps, approval));
    if (wrong !== undefined) {
      await approvals.cancel(id, wrong);
      await announce(deps, id);
      return say(md`Not run: ${codeText(wrong)}`);
    }
  }
  const { lost } = await votesOf(deps, approval);
  for (const party of lost) await approvals.unvote(id, party);
  if (job.verdict === 'withdraw') throw new Error('withdrawing is no decision');
  const note = job.note === undefined ? {} : { note: job.note };
  const outcome = await approvals.decide(id, { by: standing.party, verdict: job.verdict, ...note });
  switch (outcome) {
    case 'approved':
      await announce(deps, id);
      await runApproved(deps, id);
      return undefined;
    case 'denied':
      await announce(deps, id);
      return undefined;
    case 'counted':
      await announce(deps, id);
      return lost.length === 0 ? undefined : say(md`Counted. ${lostWords(lost)}`);
    case 'self':
      throw new UserError(`Someone else has to approve what you${approval.agent ? 'r agent' : ''} asked for.`);
    case 'unconfirmed':
      throw new UserError('The forge cannot confirm who your account belongs to, so it cannot approve this.');
    case 'again':
      throw new UserError('You have already decided on this.');
    case 'expired':
    case 'closed':
    case 'unknown':
      throw new UserError('This request was already decided, withdrawn or has expired.');
  }
}

const lostWords = (lost: readonly Party[]): Mrkdwn =>
  md`The approval of ${join(
    lost.map(mentionOf),
    ', ',
  )} no longer counts: they lost the role, or their forge account is not the one that approved.`;

async function withdraw(deps: ApprovalDeps, { id }: Approval, job: DecisionJob): Promise<undefined> {
  const outcome = await deps.services.store.approvals.withdraw(id, job.person);
  if (outcome === 'not-yours')
    throw new UserError('Only the requester can withdraw this request. You can deny it instead.');
  if (outcome !== 'withdrawn') throw new UserError('This request was already decided or has expired.');
  await announce(deps, id);
}

async function recordRefusal(deps: ApprovalDeps, approval: Approval, job: DecisionJob, why: string): Promise<void> {
  const account = await deps.services.store.accounts.get(job.person);
  await deps.record({
    person: job.person,
    login: account?.login ?? '',
    command: approval.command,
    args: await auditedArgs(deps, approval),
    operations: [],
    outcome: 'refused',
    detail: `${job.verdict} refused: ${why}`,
    durationMs: 0,
    approval: { id: approval.id, approvers: [] },
  });
}
