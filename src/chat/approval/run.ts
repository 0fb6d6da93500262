import { UserError } from '../../errors.js';
import { ApiError, isLost, type OperationName } from '../../forge/index.js';
import type { Approval, Stamp } from '../../store/index.js';
import { type Message, message, say } from '../../view/message.js';
import { readable } from '../../view/text.js';
import type { AnyCommand } from '../command.js';
import { explanation, inWords, mayHaveWorked } from '../explain.js';
import { replyTo } from '../failed.js';
import { guardWrites, type Held, Overtaken, SentBefore } from '../hold.js';
import { look, sentOf, unknownMessage } from '../outcome.js';
import { type Request, sentRequests } from '../request.js';
import type { ApprovalDeps } from '../runtime.js';
import type { Services } from '../session.js';
import { isApproved } from './bound.js';
import { deadToken, isDeadToken } from './dead-token.js';
import { announce, resultWords } from './ended.js';
import { approversOf, auditedArgs, type Readied, readAsk } from './readied.js';
import { whatChanged, whyNotNow } from './recheck.js';
import { Shown } from './shown.js';

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
    const answer = reply ?? say(resultWords(approval, outcome, summary));
    // Delivered first: if the process dies after this, the next run sends nothing worse.
    await deps.tell(approval.requester, answer, jobOf(approval), outcome === 'unknown' ? 'unknown' : 'known');
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
  const ended = async (): Promise<Outcome> => {
    try {
      ready = await readAsk(deps, approval, writes);
      return await attempt(deps, approval, ready);
    } catch (error) {
      if (error instanceof Overtaken) throw error;
      if (!ready && error instanceof UserError)
        return { outcome: 'refused', summary: inWords(error, deps.services.slash) };
      const lost = ready && (error instanceof SentBefore || isLost(error));
      const stamp = lost && (await deps.services.store.jobs.marked(jobOf(approval), 'sent'));
      return ready && stamp ? became(deps, ready, stamp) : failure(deps, approval, ready, error);
    }
  };
  const came = await ended();
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
  const sent = await deps.services.store.jobs.marked(jobOf(approval), 'sent');
  // Sent before the interruption: repeated only if that is harmless and nothing changed since.
  const moved = sent && (command.effect === 'once' || (await whatChanged(deps, approval)) !== undefined);
  if (sent && moved) return became(deps, ready, sent);
  const refused = await whyNotNow(deps, approval, ready);
  if (refused !== undefined) return { outcome: 'refused', summary: refused };
  return answered(command, await replyTo(command, await command.run(args, context), args, context));
}

/** Nothing is sent again, only looked up. */
async function became({ services }: ApprovalDeps, { command, args, context }: Readied, stamp: Stamp): Promise<Outcome> {
  const looked = await look(command, args, context, sentOf(stamp, services));
  if (typeof looked === 'object') return answered(command, looked.found);
  return { outcome: 'unknown', summary: readable(unknownMessage(command, args, services).text) };
}

const answered = (command: AnyCommand, reply: Message): Outcome =>
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
  const { says, next, reference } = explanation(error, { ...deps.services, command: ready?.command });
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
