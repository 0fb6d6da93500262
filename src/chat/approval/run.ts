import { UserError } from '../../errors.js';
import { ApiError, type OperationName } from '../../forge/index.js';
import type { Approval } from '../../store/index.js';
import { type Message, message, say } from '../../view/message.js';
import { code, md, readable } from '../../view/text.js';
import type { AnyCommand } from '../command.js';
import type { Context } from '../context.js';
import type { Args, Fields } from '../field.js';
import { guardWrites, type Held, Overtaken, SentBefore } from '../hold.js';
import { openSession } from '../session.js';
import { settled } from '../settle.js';
import { publish } from './ask.js';
import type { Desk } from './desk.js';
import { shapeOf } from './shown.js';

const holdMs = 60_000;

interface Readied {
  readonly command: AnyCommand;
  readonly args: Args<Fields>;
  readonly context: Context;
  readonly calls: { name: OperationName; status: number | undefined }[];
}

/** The command and arguments exactly as they were asked for, with the requester's own account. */
export async function readAsk(
  desk: Desk,
  approval: Approval,
  beforeWrite: () => Promise<void> = refuseWrite,
): Promise<Readied> {
  const { house } = desk;
  const command = desk.catalogue.get(approval.command);
  if (!command || shapeOf(command) !== approval.shape) {
    throw new UserError('The command changed since this was asked for. Ask again.');
  }
  const account = await house.store.accounts.get(approval.requester);
  if (account?.state !== 'active') throw new UserError('The person who asked is not linked to the forge any more.');
  const calls: Readied['calls'] = [];
  const context = await openSession(house, {
    person: { team: approval.requester.team, user: approval.requester.user },
    channel: approval.message?.channel,
    account,
    beforeWrite,
    afterCall: (name, { status }) => {
      calls.push({ name, status });
    },
    progress: async () => {},
    offerUndo() {},
  });
  const args = await house.store.approvals.args(approval.id);
  if (typeof args !== 'object' || args === null)
    throw new UserError('What was asked for cannot be read any more. Ask again.');
  return { command, args: { ...args }, context, calls };
}

async function refuseWrite(): Promise<void> {
  throw new Error('looking before approving must not write');
}

/** Claims, runs once, writes the result on the card and tells the requester. A run cut off is taken up by the sweep. */
export async function runApproved(desk: Desk, id: string): Promise<void> {
  const { store } = desk.house;
  const claim = await store.approvals.claim(id, holdMs);
  const approval = claim && (await store.approvals.get(id));
  if (!claim || !approval) return;
  const renewing = setInterval(() => void store.approvals.renew(claim, holdMs).catch(() => {}), holdMs / 3);
  try {
    const { ok, summary, reply } = await outcomeOf(desk, approval, () => store.approvals.renew(claim, holdMs));
    if (!(await store.approvals.finish(claim, ok ? 'done' : 'failed', summary))) return;
    const settled = await store.approvals.get(id);
    if (settled) await publish(desk, settled);
    await desk.answers.tell(
      approval.requester,
      reply ??
        say(
          ok
            ? md`${code(approval.command)} was approved and done. ${summary}`
            : md`${code(approval.command)} was approved, but failed. ${summary}`,
        ),
    );
  } catch (error) {
    // Whoever holds the claim now finishes it.
    if (!(error instanceof Overtaken)) throw error;
  } finally {
    clearInterval(renewing);
  }
}

interface Outcome {
  readonly ok: boolean;
  /** For the card, which everyone in the channel reads. */
  readonly summary: string;
  /** For the requester alone. */
  readonly reply?: Message;
}

async function outcomeOf(desk: Desk, approval: Approval, held: Held): Promise<Outcome> {
  const { store } = desk.house;
  const started = performance.now();
  const job = `approval-${approval.id}`;
  const approvers = approval.decisions.filter(({ verdict }) => verdict === 'approve').map(({ by }) => by.user);
  const entry = (outcome: 'done' | 'failed' | 'unknown', detail: string, calls: Readied['calls'] = []) =>
    desk.record({
      person: { team: approval.requester.team, user: approval.requester.user },
      login: approval.requester.login ?? '',
      command: approval.command,
      args: {},
      operations: calls,
      outcome,
      detail,
      durationMs: Math.round(performance.now() - started),
      approval: { id: approval.id, approvers },
    });
  const lost =
    'Bellows was stopped while it was sent: the outcome is unknown, and it was not sent again. Look at the forge.';
  try {
    const effect = desk.catalogue.get(approval.command)?.effect ?? 'once';
    const ready = await readAsk(desk, approval, guardWrites(store, { id: job, effect, held }));
    const sentBefore = async (): Promise<Outcome> => {
      const found = await settled(ready.command, ready.args, ready.context);
      await entry(found ? 'done' : 'unknown', found ? '' : lost);
      return found ? { ok: true, summary: readable(found.text) } : { ok: false, summary: lost };
    };
    if (effect === 'once' && (await store.jobs.marked(job, 'sent'))) return await sentBefore();
    const result = await ready.command.run(ready.args, ready.context).catch((error: unknown) => {
      if (error instanceof SentBefore) return error;
      throw error;
    });
    if (result instanceof SentBefore) return await sentBefore();
    const reply = await ready.command.reply(result, ready.args, ready.context);
    await entry('done', '', ready.calls);
    if (ready.command.confidential) return { ok: true, summary: 'The answer went to the person who asked.', reply };
    return { ok: true, summary: readable(message({ blocks: reply.blocks }).text) };
  } catch (error) {
    if (error instanceof Overtaken) throw error;
    const words =
      error instanceof UserError || error instanceof ApiError ? error.message : 'An unexpected failure; see the log.';
    if (!(error instanceof UserError || error instanceof ApiError))
      desk.house.log.error({ err: error }, 'an approved command failed');
    await entry('failed', words);
    return { ok: false, summary: words };
  }
}
