import { z } from 'zod';
import { reasonOf, UserError } from '../../errors.js';
import { ApiError, isLost, type OperationName } from '../../forge/index.js';
import type { Approval, ApprovalState, Stamp } from '../../store/index.js';
import { type Message, message, say } from '../../view/message.js';
import { codeText, join, type Mrkdwn, md, mentionOf, readable } from '../../view/text.js';
import { fitMessage, keepAndTell } from '../answer-once.js';
import type { AnyCommand, Observation } from '../command.js';
import { explanation, findMissing, inWords, mayHaveWorked } from '../explain.js';
import { guardWrites, type Held, Overtaken, SentBefore } from '../hold.js';
import { askToRelink } from '../linking.js';
import { notify } from '../notice.js';
import { look, replyTo, unknownMessage } from '../outcome.js';
import { type Request, sentRequests } from '../request.js';
import type { ApprovalDeps } from '../runtime.js';
import type { Services } from '../session.js';
import { boundOf, Changed, difference, isApproved } from './bound.js';
import { hiddenFrom } from './hidden-from.js';
import { aboutOf } from './policy.js';
import { publish } from './publish.js';
import { approversOf, auditedArgs, type Readied, readAsk } from './readied.js';
import { Shown, wishOf } from './shown.js';
import { signedEnd, unfitRequester, votesOf } from './standing.js';

const deadToken = 'The requester’s forge token no longer works.';

/** Whether the forge refused the requester's own token; then they are asked to link again. */
async function isDeadToken(
  deps: ApprovalDeps,
  { requester }: Approval,
  { calls }: Pick<Readied, 'calls'>,
  error: unknown,
): Promise<boolean> {
  const refused = error instanceof ApiError && error.kind === 'unauthorized';
  if (!refused || !calls.some(({ status }) => status === 401)) return false;
  const account = await deps.services.store.accounts.get(requester);
  if (account) await askToRelink(deps.services, account);
  return true;
}

/** Tells card, requester and audit how it ended; safe to retry, announced once. */
export async function announce(deps: ApprovalDeps, id: string): Promise<void> {
  const { store } = deps.services;
  const approval = await store.approvals.get(id);
  if (!approval) return;
  const end = endOf(approval);
  if (end?.why !== undefined && (await store.jobs.mark(`approval-${id}`, 'reported'))) {
    await deps.record({
      person: { team: approval.requester.team, user: approval.requester.user },
      agent: approval.agent,
      login: approval.requester.login ?? '',
      command: approval.command,
      args: await auditedArgs(deps, approval),
      operations: [],
      outcome: 'refused',
      detail: end.why,
      durationMs: 0,
      approval: { id, approvers: approversOf(approval) },
    });
  }
  if (end) await notify(store, approval.requester, `approval-${id}`, say(end.words));
  await publish(deps, approval);
}

interface End {
  readonly words: Mrkdwn;
  /** For the audit when nothing was run: by whom and why. */
  readonly why?: string;
}

/** Undefined while it is open, and after a run, which reports its own result. */
function endOf(approval: Approval): End | undefined {
  const wish = wishOf(Shown.parse(approval.shown));
  const yours = yoursIn(approval);
  const reason = approval.result?.summary;
  const ends: Partial<Record<ApprovalState, () => End>> = {
    denied: () => {
      const deny = approval.decisions.find(({ verdict }) => verdict === 'deny');
      const by = deny ? mentionOf(deny.by) : md`Someone`;
      const why = `denied by ${deny?.by.user ?? 'unknown'}`;
      if (deny?.note === undefined) return { words: md`${by} denied ${yours} to ${wish}.`, why };
      return { words: md`${by} denied ${yours} to ${wish}: ${deny.note}`, why: `${why}: ${deny.note}` };
    },
    withdrawn: () =>
      reason === undefined
        ? { words: md`You withdrew ${yours} to ${wish}.`, why: 'withdrawn by the requester' }
        : {
            words: md`${yoursIn(approval, true)} to ${wish} was not run: ${codeText(reason)}`,
            why: `withdrawn: ${reason}`,
          },
    expired: () => ({
      words: md`Nobody decided on ${yours} to ${wish} in time, so it was not run. Run it again if you still need it.`,
      why: 'expired without a decision',
    }),
  };
  return ends[approval.state]?.();
}

const yoursIn = ({ agent }: Approval, opens = false): Mrkdwn =>
  agent ? md`${opens ? 'The' : 'the'} request of your agent ${agent.name}` : md`${opens ? 'Your' : 'your'} request`;

const results = { done: '.', failed: ', but it failed.', refused: ', but it was not run:', unknown: '.' } as const;

/** What the requester reads after approval. */
function resultWords(approval: Approval, outcome: keyof typeof results, summary: string): Mrkdwn {
  const wish = wishOf(Shown.parse(approval.shown));
  const by = join(approversOf(approval).map(mentionOf), ', ');
  return md`${by} approved ${yoursIn(approval)} to ${wish}${results[outcome]} ${codeText(summary)}`;
}

/** Approval is not enough: why it must not be sent now (its age, its people, their accounts, or its subject). */
async function whyNotNow(deps: ApprovalDeps, approval: Approval, ready: Readied): Promise<string | undefined> {
  const end = signedEnd(approval);
  if (end !== undefined) return end === 'denied' ? 'it was denied.' : 'it has ended.';
  if (deps.services.now().getTime() >= approval.policy.expiresAt) return 'it expired before it could be run.';
  const unfit = await whyNoLonger(deps, approval, ready);
  if (unfit !== undefined) return unfit;
  const { counting } = await votesOf(deps, approval);
  if (counting.length < approval.policy.needed) return 'an approval no longer counts.';
  return whatChanged(deps, approval);
}

/** Why the requester may no longer ask for it, or its card may no longer say how it went; undefined if neither. */
export async function whyNoLonger(deps: ApprovalDeps, approval: Approval, ready: Readied): Promise<string | undefined> {
  const { command, args, context } = ready;
  const unfit = await unfitRequester(deps, approval, ready);
  // the repository or the channel may have changed since
  return unfit ?? hiddenFrom(deps, aboutOf(command, args, context), Shown.parse(approval.shown).channel);
}

/** Undefined if everything is still as shown. */
export async function whatChanged(deps: ApprovalDeps, approval: Approval): Promise<string | undefined> {
  const present = await boundNow(deps, approval);
  return typeof present === 'string' ? present : difference(Values.parse(approval.bound), present);
}

const Values = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

/** Built again; a sentence if the command now refuses it. */
async function boundNow(deps: ApprovalDeps, approval: Approval): Promise<Observation['bound'] | string> {
  const ready = await readAsk(deps, approval);
  const { command, args, context } = ready;
  try {
    const planned = await command.plan(args, context);
    const unobserved = Shown.parse(approval.shown).unobserved ? 'allow' : 'refuse';
    return (await boundOf(command, args, context, planned, unobserved)).values;
  } catch (error) {
    if (error instanceof UserError) return inWords(error, context.slash);
    if (error instanceof ApiError && error.kind === 'notFound') return 'it no longer exists.';
    // the reader's own token is fine, and theirs may work again until it expires
    if (await isDeadToken(deps, approval, ready, error))
      throw new UserError(`${deadToken} They have to link their account again.`, { cause: error });
    throw error;
  }
}

const holdMs = 60_000;

/** Claims it, runs it once, writes the result on the card and tells the requester. The sweep resumes an interrupted run. */
export async function runApproved(deps: ApprovalDeps, id: string): Promise<void> {
  const { store } = deps.services;
  const claim = await store.approvals.claim(id, holdMs);
  const approval = claim && (await store.approvals.get(id));
  if (!claim || !approval) return;
  const renewing = setInterval(() => void store.approvals.renew(claim, holdMs).catch(() => {}), holdMs / 3);
  try {
    const { outcome, summary, reply } = await outcomeOf(deps, approval, () => store.approvals.renew(claim, holdMs));
    const { team, user } = approval.requester;
    const to = { person: { team, user }, answer: {}, acceptedAt: deps.services.now().getTime() };
    const message = await fitMessage(reply ?? say(resultWords(approval, outcome, summary)), deps);
    // Delivered first: if the process dies after this, the next run sends nothing worse.
    await keepAndTell(deps, jobOf(approval), { to, message }, outcome === 'unknown' ? 'unknown' : 'known');
    const refused = outcome === 'refused';
    const result = refused ? { summary, refused } : { summary };
    if (!(await store.approvals.finish(claim, refused ? 'failed' : outcome, result))) return;
    await announce(deps, id);
  } catch (error) {
    // The worker that now holds the claim finishes it.
    if (!(error instanceof Overtaken)) throw error;
  } finally {
    clearInterval(renewing);
  }
}

const jobOf = ({ id }: Pick<Approval, 'id'>) => `approval-${id}`;

interface Outcome {
  readonly outcome: 'done' | 'failed' | 'refused' | 'unknown';
  /** For the card, visible to everyone in the channel. */
  readonly summary: string;
  /** For the requester only. */
  readonly reply?: Message;
}

/** One row has the whole story: who asked for what, who approved, as whom it ran and the outcome. */
async function outcomeOf(deps: ApprovalDeps, approval: Approval, held: Held): Promise<Outcome> {
  const started = performance.now();
  let ready: Readied | undefined;
  const writes = writesOf(deps, approval, held, () => ready?.notes.at(-1));
  const runReady = async (): Promise<Outcome> => {
    try {
      ready = await readAsk(deps, approval, writes);
      return await attempt(deps, approval, ready);
    } catch (error) {
      if (error instanceof Overtaken) throw error;
      if (error instanceof Changed || (!ready && error instanceof UserError))
        return { outcome: 'refused', summary: inWords(error, deps.services.slash) };
      const lost = ready && (error instanceof SentBefore || isLost(error));
      const stamp = lost && (await deps.services.store.jobs.markOf(jobOf(approval), 'sent'));
      return ready && stamp ? became(deps, ready, stamp) : failure(deps, approval, ready, error);
    }
  };
  const came = await runReady();
  await deps.record({
    person: { team: approval.requester.team, user: approval.requester.user },
    agent: approval.agent,
    login: ready?.context.login ?? approval.requester.login ?? '',
    command: approval.command,
    args: await auditedArgs(deps, approval),
    operations: ready?.calls ?? [],
    outcome: came.outcome,
    detail: came.summary,
    durationMs: Math.round(performance.now() - started),
    approval: { id: approval.id, approvers: approversOf(approval) },
  });
  return came;
}

/** Whatever was read since: only requests that the card's details showed are sent. */
async function refuseOther({ forge }: Pick<Services, 'forge'>, { shown }: Approval, sent: Request): Promise<void> {
  const [line] = await sentRequests([sent], forge);
  if (line && Shown.parse(shown).requests.some((approved) => isApproved(line, approved))) return;
  throw new UserError('it changed while it was being sent. Ask again.');
}

/** Repeatable writes leave a mark too: after a restart, their own change is not mistaken for someone else's. */
function writesOf({ services, catalog }: ApprovalDeps, approval: Approval, held: Held, note: () => string | undefined) {
  const effect = catalog.get(approval.command)?.effect ?? 'once';
  const guard = guardWrites(services.store, { id: jobOf(approval), effect, held, note });
  return async (operation: OperationName, input: Request['input']) => {
    await refuseOther(services, approval, { operation, input });
    await guard();
    if (effect !== 'once') await services.store.jobs.mark(jobOf(approval), 'sent');
  };
}

async function attempt(deps: ApprovalDeps, approval: Approval, ready: Readied): Promise<Outcome> {
  const { command, args, context } = ready;
  const sent = await deps.services.store.jobs.markOf(jobOf(approval), 'sent');
  // Sent before the interruption: repeated only if that is harmless and nothing changed since.
  const moved = sent && (command.effect === 'once' || (await whatChanged(deps, approval)) !== undefined);
  if (sent && moved) return became(deps, ready, sent);
  const refused = await whyNotNow(deps, approval, ready);
  if (refused !== undefined) return { outcome: 'refused', summary: refused };
  return outcomeOfReply(command, await replyTo(command, await command.run(args, context), args, context));
}

/** Nothing is sent again, only looked up. */
async function became(deps: ApprovalDeps, ready: Readied, stamp: Stamp): Promise<Outcome> {
  const looked = await look(deps, ready, stamp);
  if (typeof looked === 'object') return outcomeOfReply(ready.command, looked.found);
  return { outcome: 'unknown', summary: readable(unknownMessage(ready.command, ready.args, deps.services).text) };
}

const outcomeOfReply = (command: AnyCommand, reply: Message): Outcome =>
  command.confidential
    ? { outcome: 'done', summary: 'The answer went to the requester.', reply }
    : { outcome: 'done', summary: readable(message({ blocks: reply.blocks }).text) };

/** The card is read by everyone in its channel, so only the requester reads `you`. */
async function failure(
  deps: ApprovalDeps,
  approval: Approval,
  ready: Readied | undefined,
  error: unknown,
): Promise<Outcome> {
  const cause = ready ? await findMissing(error, { ...ready, api: ready.context.api }) : error;
  const { says, next, reference } = explanation(cause, { ...deps.services, command: ready?.command });
  const whole = [says, next, reference].filter((part) => part !== undefined).join(' ');
  const outcome = mayHaveWorked(error) ? 'unknown' : 'failed';
  const reply = say(resultWords(approval, outcome, whole));
  if (ready && (await isDeadToken(deps, approval, ready, error))) return { outcome, summary: deadToken, reply };
  const kind = error instanceof ApiError ? error.kind : undefined;
  if (kind === 'unauthorized') return { outcome, summary: otherToken };
  const summary = kind === 'forbidden' ? says.replace('You don’t', 'The requester doesn’t') : whole;
  return { outcome, summary, reply };
}

const otherToken = 'A token that Bellows needs for this no longer works. Ask a Bellows admin to check it.';

/** Jobs are only hints: this picks up everything still pending in the records, so a lost job loses nothing. */
export async function sweepApprovals(deps: ApprovalDeps): Promise<void> {
  for (const approval of await deps.services.store.approvals.due()) {
    await takeUp(deps, approval).catch((error: unknown) =>
      deps.services.log.warn({ approval: approval.id, reason: reasonOf(error) }, 'an approval could not be processed'),
    );
  }
}

async function takeUp(deps: ApprovalDeps, { id, state, policy }: Approval): Promise<void> {
  const { approvals } = deps.services.store;
  if (state === 'open' && policy.expiresAt <= deps.services.now().getTime()) await approvals.expire(id);
  if (state === 'approved' || state === 'running') await runApproved(deps, id);
  const present = await approvals.get(id);
  if (present && present.announced !== present.state) await announce(deps, id);
}
