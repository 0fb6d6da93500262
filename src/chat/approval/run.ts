import { UserError } from '../../errors.js';
import { ApiError, type OperationName } from '../../forge/index.js';
import type { Approval, Stamp } from '../../store/index.js';
import { type Message, message, say } from '../../view/message.js';
import { code, md, readable } from '../../view/text.js';
import type { AnyCommand } from '../command.js';
import type { Context } from '../context.js';
import { isLost, replyTo } from '../failed.js';
import type { Args, Fields } from '../field.js';
import { guardWrites, type Held, Overtaken, SentBefore } from '../hold.js';
import { foundByLooking, unknownMessage } from '../sent-before.js';
import { openSession } from '../session.js';
import { look, sentOf } from '../settle.js';
import { publish } from './ask.js';
import type { Desk } from './desk.js';
import { shapeOf } from './shown.js';

const holdMs = 60_000;

interface Readied {
  readonly command: AnyCommand;
  readonly args: Args<Fields>;
  readonly context: Context;
  readonly calls: { name: OperationName; status: number | undefined }[];
  readonly notes: readonly string[];
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
  const notes: string[] = [];
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
    remember: (note) => {
      notes.push(note);
    },
  });
  const args = await house.store.approvals.args(approval.id);
  if (typeof args !== 'object' || args === null)
    throw new UserError('What was asked for cannot be read any more. Ask again.');
  return { command, args: { ...args }, context, calls, notes };
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
    const { end, summary, reply } = await outcomeOf(desk, approval, () => store.approvals.renew(claim, holdMs));
    const told = reply ?? say(md`${code(approval.command)} ${ends[end]} ${summary}`);
    // Told first: who is killed after it has told, and the next one tells nothing worse.
    await desk.answers.tell(approval.requester, told, jobOf(approval), end === 'unknown' ? 'unknown' : 'known');
    if (!(await store.approvals.finish(claim, end, summary))) return;
    const settled = await store.approvals.get(id);
    if (settled) await publish(desk, settled);
  } catch (error) {
    // Whoever holds the claim now finishes it.
    if (!(error instanceof Overtaken)) throw error;
  } finally {
    clearInterval(renewing);
  }
}

const ends = { done: 'was approved and done.', failed: 'was approved, but failed.', unknown: 'was approved.' } as const;
const jobOf = ({ id }: Pick<Approval, 'id'>) => `approval-${id}`;

interface Outcome {
  readonly end: keyof typeof ends;
  /** For the card, which everyone in the channel reads. */
  readonly summary: string;
  /** For the requester alone. */
  readonly reply?: Message;
}

async function outcomeOf(desk: Desk, approval: Approval, held: Held): Promise<Outcome> {
  const { store } = desk.house;
  const started = performance.now();
  const job = jobOf(approval);
  const approvers = approval.decisions.filter(({ verdict }) => verdict === 'approve').map(({ by }) => by.user);
  let ready: Readied | undefined;
  const ended = async (end: Outcome['end'], detail: string): Promise<void> =>
    desk.record({
      person: { team: approval.requester.team, user: approval.requester.user },
      login: approval.requester.login ?? '',
      command: approval.command,
      args: {},
      operations: ready?.calls ?? [],
      outcome: end,
      detail,
      durationMs: Math.round(performance.now() - started),
      approval: { id: approval.id, approvers },
    });
  const answered = (command: AnyCommand, reply: Message): Outcome =>
    command.confidential
      ? { end: 'done', summary: 'The answer went to the person who asked.', reply }
      : { end: 'done', summary: readable(message({ blocks: reply.blocks }).text) };
  /** Nothing is sent again: it is looked for. */
  const became = async ({ command, args, context }: Readied, stamp: Stamp): Promise<Outcome> => {
    const looked = await look(command, args, context, sentOf(stamp, desk.house));
    if (typeof looked !== 'object') {
      const summary = readable(unknownMessage(command, args, desk.house).text);
      await ended('unknown', '');
      return { end: 'unknown', summary };
    }
    await ended('done', foundByLooking);
    return answered(command, looked.found);
  };
  try {
    const effect = desk.catalogue.get(approval.command)?.effect ?? 'once';
    ready = await readAsk(
      desk,
      approval,
      guardWrites(store, { id: job, effect, held, note: () => ready?.notes.at(-1) }),
    );
    const before = effect === 'once' ? await store.jobs.marked(job, 'sent') : undefined;
    if (before) return await became(ready, before);
    const result = await ready.command.run(ready.args, ready.context);
    const reply = await replyTo(ready.command, result, ready.args, ready.context);
    await ended('done', '');
    return answered(ready.command, reply);
  } catch (error) {
    if (error instanceof Overtaken) throw error;
    const stamp = ready && (error instanceof SentBefore || isLost(error)) && (await store.jobs.marked(job, 'sent'));
    if (ready && stamp) return became(ready, stamp);
    const words =
      error instanceof UserError || error instanceof ApiError ? error.message : 'An unexpected failure; see the log.';
    if (!(error instanceof UserError || error instanceof ApiError))
      desk.house.log.error({ err: error }, 'an approved command failed');
    await ended('failed', words);
    return { end: 'failed', summary: words };
  }
}
