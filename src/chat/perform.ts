import type { Button, KnownBlock } from '@slack/types';
import { z } from 'zod';
import { reasonOf, UserError } from '../errors.js';
import { ApiError, isOperationName, mayHaveHappened, type OperationName } from '../forge/index.js';
import type { Account, Agent, Stands, Store } from '../store/index.js';
import { actions } from '../view/blocks.js';
import { doneCard } from '../view/cards/outcome.js';
import { dryRunCard } from '../view/cards/request.js';
import { type Message, message, say, withBlocks } from '../view/message.js';
import { code, join, lines, type Mrkdwn, md } from '../view/text.js';
import type { ActJob, CommandJob, UndoJob } from './act-job.js';
import { actedByArgs, actedByRequests } from './acted.js';
import { commandOf, undoButton } from './actions.js';
import { refuseRole, refuseUnsupported } from './admit.js';
import { admitAgent, agentTrouble } from './agent.js';
import { answerOnce, type Said } from './answer-once.js';
import { askApproval } from './approval/ask.js';
import { decideApproval } from './approval/decide.js';
import { askersWords, policyFor, policyWords } from './approval/policy.js';
import { openArgs, resolveArgs } from './arguments.js';
import type { AnyCommand } from './command.js';
import type { Approvers, Context, Role, UndoOffer } from './context.js';
import { explain, explanation } from './explain.js';
import type { Args, Fields } from './fields.js';
import { bindButtons } from './fitted.js';
import { commandLine } from './grammar.js';
import { guardWrites, type Held, Overtaken, SentBefore } from './hold.js';
import { askToLink, resume } from './linking.js';
import { type Attempt, blank, explainFailure, replyTo, whatWasSent } from './outcome.js';
import { repositoriesIn } from './references.js';
import { withReopenButton } from './reopen-button.js';
import { knownIn, lookUpIds, namedIn, refuseTakenOver } from './repo-ids.js';
import { type Request, send, sendAll, sentRequests } from './request.js';
import type { Entry, Runtime } from './runtime.js';
import { openSession } from './session.js';

function whoWords(asks: Role | Approvers): string {
  return asks === 'everyone' ? 'Anyone can run this.' : `Only ${askersWords(asks)} can run this.`;
}

/** Shows what would be sent, who may run it and whose approval it needs; changes nothing. */
async function dryRun(
  command: AnyCommand,
  args: Args<Fields>,
  context: Context,
  words: {
    readonly line: string;
    readonly approval: string | undefined;
    readonly source: string | undefined;
    readonly asks: Role | Approvers;
  },
): Promise<Message> {
  const observed = await command.approval?.observe?.(args, context);
  return message({
    text: md`Dry run of ${command.name}: nothing was changed.`,
    blocks: dryRunCard({
      command: words.line,
      requests: await sentRequests(await command.plan(args, context), context.forge),
      who: whoWords(words.asks),
      approval: words.approval,
      source: words.source,
      observed: observed?.shown,
    }),
  });
}

/** Changes to these concern everyone in the conversation, and none of their answers contains a secret. */
const shared: ReadonlySet<string> = new Set(['issue', 'pr', 'run', 'workflow']);

/** Whether everyone in the channel may read the answer; otherwise only the person who asked. */
async function answersInPublic(
  { exposed }: Runtime,
  command: AnyCommand,
  args: Args<Fields>,
  { source, channel, answer }: CommandJob,
): Promise<boolean> {
  const [noun = ''] = command.name.split(' ');
  // a form opened from a message has a thread
  const isThread = source === 'written' || (source === 'form' && answer.threadTs !== undefined);
  if (!isThread || channel === undefined || command.risk === 'read' || !shared.has(noun)) return false;
  const [repository, another] = repositoriesIn(args);
  return repository !== undefined && another === undefined && (await exposed(repository, channel)) === undefined;
}

/** An answer in the thread of an item's card says what the feed would post there next; undone if it fails. */
async function saysInThread({ threads, replies }: Store, { name }: AnyCommand, job: CommandJob, login: string) {
  const { person, channel, answer } = job;
  if (channel === undefined || answer.threadTs === undefined) return undefined;
  const place = { team: person.team, channel };
  const item = await threads.itemOf(place, answer.threadTs);
  if (item === undefined) return undefined;
  await replies.say(place, item, login, name);
  return () => replies.unsay(place, item, login, name);
}

const mostButtons = 3;

/** Puts Undo first in the last row of buttons, replacing the one that does the same; the row stays short. */
function withUndoFirst(blocks: readonly KnownBlock[], undo: Button, opposite?: string): KnownBlock[] {
  const at = blocks.findLastIndex(({ type }) => type === 'actions');
  const row = blocks[at];
  const elements = row?.type === 'actions' ? row.elements : [];
  const buttons = elements.filter(
    (each) => each.type === 'button' && (opposite === undefined || commandOf(each.value) !== opposite),
  );
  const menus = elements.filter(({ type }) => type !== 'button');
  const drawn = actions(undo, ...buttons.slice(0, mostButtons - 1), ...menus);
  const before = at < 0 ? blocks : blocks.filter((_, index) => index !== at);
  return drawn ? before.toSpliced(at < 0 ? blocks.length : at, 0, drawn) : [...before];
}

/** Checks permission, asks for approval if a policy says so, runs, records; returns what the person reads. */
async function runCommand(
  runtime: Runtime,
  command: AnyCommand,
  job: CommandJob,
  { account, agent }: { readonly account: Account | undefined; readonly agent: Agent | undefined },
  id: string,
  held: Held,
): Promise<Said> {
  const { services, answers } = runtime;
  const started = performance.now();
  const calls: { name: OperationName; status: number | undefined }[] = [];
  const offers: UndoOffer[] = [];
  const notes: string[] = [];
  const attempt: Attempt = { runtime, command, job, account, calls, record };
  const known = knownIn(job.args);
  let lookedAgain: Promise<void> | undefined;
  const guard = guardWrites(services.store, { id, effect: command.effect, held, note: () => notes.at(-1) });
  const admitted = { name: command.name, role: command.role };
  const context = await openSession(services, {
    person: job.person,
    channel: job.channel,
    account,
    agent,
    command: admitted,
    job: id,
    acceptedAt: job.acceptedAt,
    dryRun: job.dryRun,
    async beforeWrite() {
      lookedAgain ??= refuseTakenOver(known, context.api);
      await lookedAgain;
      await guard();
      attempt.sent ??= { at: services.now().getTime(), note: notes.at(-1) };
    },
    afterCall: (name, { status }) => {
      calls.push({ name, status });
    },
    progress: (shown) => answers.progress(job, shown),
    offerUndo: (offer) => {
      offers.push(offer);
    },
    remember: (note) => {
      notes.push(note);
    },
  });
  function record(outcome: Entry['outcome'], detail?: string): Promise<void> {
    return runtime.record({
      ...blank(job),
      // including the channel's repository and linked people, once known
      args: attempt.args ?? job.args,
      login: context.login,
      operations: calls,
      outcome,
      durationMs: Math.round(performance.now() - started),
      ...(detail === undefined ? {} : { detail }),
    });
  }
  const said = await runOnce();
  const { message: drawn } = said;
  if (!drawn) return said;
  return { ...said, message: withBlocks(drawn, await bindButtons(drawn.blocks, runtime.catalog, context.repoId)) };

  async function runOnce(): Promise<Said> {
    let unsay: (() => Promise<void>) | undefined;
    try {
      refuseRole(command, services.roles.of(job.person));
      await refuseUnsupported(command, services.forge);
      await refuseTakenOver(known, context.api);
      const args = await resolveArgs(command, openArgs(command, job, services.store), context);
      attempt.args = args;
      if (agent) await admitAgent(agent, command, args, context);
      if (job.dryRun) {
        const { policy, source, asks } = await policyFor(command, args, context);
        const words = { line: commandLine(command, job.args), approval: policy && policyWords(policy), source, asks };
        return { message: await dryRun(command, args, context, words) };
      }
      const approval = await askApproval(runtime, command, args, context, job, id);
      if (approval.needed) {
        await record('asked');
        return { message: approval.message };
      }
      admitted.role = approval.role;
      const inPublic = await answersInPublic(runtime, command, args, job).catch(() => false);
      if (inPublic) unsay = await saysInThread(services.store, command, job, context.login);
      const result = await command.run(args, context);
      const reply = await replyTo(command, result, args, context);
      if (command.risk !== 'read' || agent) await record('done');
      if (command.risk !== 'read') runtime.acted(context, actedByArgs(args));
      // a click gets an answer
      if (command.quiet && job.source !== 'button') return {};
      // a form that is still open has to say how it ended
      if (command.saidInChannel?.(result) && job.answer.viewId === undefined) return {};
      if (command.resumes) await resume(runtime, job.person, id);
      return {
        message: await withUndo(runtime, context, command, reply, offers.at(-1)),
        inPublic,
        confidential: command.confidential,
      };
    } catch (error) {
      if (error instanceof Overtaken || error instanceof SentBefore) throw error;
      await unsay?.();
      return explainFailure(attempt, context, error);
    }
  }
}

async function withUndo(
  runtime: Runtime,
  { person, repoId }: Context,
  command: AnyCommand,
  reply: Message,
  offer: UndoOffer | undefined,
): Promise<Message> {
  if (!offer) return reply;
  const inputs = [offer.request].flat().flatMap(({ input }) => [input, input['body']]);
  const known = await lookUpIds(namedIn({ inputs }), repoId);
  const id = await runtime.keepUndo(person, { ...offer, command: command.name, known });
  return withBlocks(reply, withUndoFirst(reply.blocks, undoButton(id, person.user), command.opposite));
}

const Kept = z.object({
  operation: z.string().refine((name): name is OperationName => isOperationName(name)),
  input: z.record(z.string(), z.unknown()),
});
const Offer = z.object({
  says: z.string(),
  request: z.union([z.array(Kept).min(1), Kept.transform((one) => [one])]),
  guard: z.object({ request: Kept, expect: z.record(z.string(), z.unknown()) }).optional(),
  /** The repositories it names. */
  known: z.array(z.object({ owner: z.string(), repo: z.string(), repoId: z.int() })),
  /** What it undoes. */
  command: z.string(),
});

const tooLate = 'This can no longer be undone here. Change it back on the forge.';

/** Only for the person who acted, once, for a few minutes, and not if someone has changed it since. */
async function performUndo(runtime: Runtime, job: UndoJob, id: string, held: Held): Promise<Message> {
  if (job.by !== undefined && job.by !== job.person.user)
    throw new UserError('Only the person who made this change can undo it.');
  const once = `undo-${job.undo}`;
  const refuseUsed = async () => {
    const used = await runtime.services.store.jobs.markOf(once, 'sent');
    if (used?.note === id)
      throw new UserError('The forge did not confirm the undo. Check it there before you try again.');
    if (used) throw new UserError(tooLate);
  };
  await refuseUsed();
  try {
    return await undo(runtime, job, { id, once, held });
  } catch (error) {
    if (error instanceof SentBefore) await refuseUsed();
    throw error;
  }
}

async function undo(
  runtime: Runtime,
  job: UndoJob,
  { id, once, held }: { readonly id: string; readonly once: string; readonly held: Held },
): Promise<Message> {
  const { services } = runtime;
  const account = await services.store.accounts.get(job.person);
  if (account?.state !== 'active') throw new UserError('Link your forge account again, then undo this on the forge.');
  const offer = Offer.safeParse(await services.store.undo.get(job.person, job.undo));
  if (!offer.success) throw new UserError(tooLate);
  const command = runtime.catalog.get(offer.data.command ?? '');
  if (command) refuseRole(command, await services.roles.fresh(job.person));
  const calls: { name: OperationName; status: number | undefined }[] = [];
  const started = performance.now();
  const context = await openSession(services, {
    person: job.person,
    channel: job.channel,
    account,
    command,
    // An offer is used once, by whichever click and run of its job comes first.
    beforeWrite: guardWrites(services.store, { id: once, effect: 'once', held, note: () => id }),
    afterCall: (name, { status }) => {
      calls.push({ name, status });
    },
    progress: async () => {},
    offerUndo() {},
  });
  const { says, request: requests, guard, known } = offer.data;
  if (guard) await refuseChanged(guard.request, guard.expect, context);
  await refuseTakenOver(known, context.api);
  const record = (outcome: Entry['outcome'], detail?: string) =>
    runtime.record({
      person: job.person,
      login: account.login,
      command: 'undo',
      args: { operation: requests.map(({ operation }) => operation).join(', '), of: placeIn(requests) },
      operations: calls,
      outcome,
      durationMs: Math.round(performance.now() - started),
      ...(detail !== undefined && { detail }),
    });
  const refused = await sendAll(context.api, requests).catch(async (error: unknown) => {
    const isOpen = error instanceof ApiError && mayHaveHappened(error);
    if (calls.length > 0) await record(isOpen ? 'unknown' : 'failed', reasonOf(error));
    throw error;
  });
  runtime.acted(context, actedByRequests(requests));
  const but = refused.map(({ error }) => explainWhatStayed(context, error));
  await record('done', but.length === 0 ? undefined : 'only in part');
  return message({ blocks: doneCard({ says: but.length === 0 ? md`${says}` : md`Only partly undone.`, but }) });
}

/** Where it happened, without what was written there. */
const placeIn = ([first]: readonly Request[]) =>
  Object.fromEntries(Object.entries(first?.input ?? {}).filter(([name]) => ['owner', 'repo', 'index'].includes(name)));

function explainWhatStayed(context: Context, error: ApiError): Mrkdwn {
  const { says, next } = explanation(error, context);
  return join([lines(says), next], '\n');
}

async function refuseChanged(
  look: Request,
  expect: Readonly<Record<string, unknown>>,
  context: Context,
): Promise<void> {
  const present = await send(context.api, look);
  const values = new Map(Object.entries(typeof present === 'object' && present !== null ? present : {}));
  const changed = Object.entries(expect).filter(
    ([name, value]) => JSON.stringify(values.get(name)) !== JSON.stringify(value),
  );
  if (changed.length === 0) return;
  if (changed.some(([name]) => name === 'id'))
    throw new UserError('Not undone: another repository has this name now. Change it back on the forge.');
  const now = changed.map(([name]) => `${name.replaceAll('_', ' ')} is now ${brief(values.get(name))}`).join(', ');
  throw new UserError(`Not undone: someone changed it since (${now}). Check it on the forge.`);
}

/** A title or state as text; lists and long texts only by their kind. */
function brief(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'unset';
  if (typeof value === 'string') return value.length > 60 ? 'another text' : `“${value}”`;
  return typeof value === 'boolean' || typeof value === 'number' ? String(value) : 'different';
}

/** Performs accepted work of every kind; answered once, however often it is started. */
export async function perform(runtime: Runtime, job: ActJob, id: string, held: Held): Promise<void> {
  const { jobs, answers } = runtime.services.store;
  // it may have been interrupted after its answer, before it started the next
  if (await answers.rank(id)) return resumeAfter(runtime, job, id);
  if (await jobs.markOf(id, 'abandoned')) return;
  const command = job.kind === 'command' ? runtime.catalog.get(job.command) : undefined;
  // a posted line has to become the answer
  const noLine = command?.quiet || (command?.saidInChannel && job.answer.posted);
  if (job.kind === 'command' && noLine) return performCommand(runtime, job, id, held);
  if (job.kind === 'command') return withWaitingLine(runtime, job, id, () => performCommand(runtime, job, id, held));
  await answerOnce(runtime, job, id, await answerTo(runtime, job, id, held));
}

/** It stopped its worker too often, or its answer could not be delivered: reports what is known, once. */
export async function giveUp(runtime: Runtime, job: ActJob, id: string): Promise<void> {
  if (await runtime.services.store.answers.rank(id)) return resumeAfter(runtime, job, id);
  const command = job.kind === 'command' ? runtime.catalog.get(job.command) : undefined;
  const sent = command && job.kind === 'command' ? await whatWasSent(runtime, command, job, id) : undefined;
  const lost = say(
    md`This failed several times and was stopped. Try again, or ask an admin to check the logs (ref ${code(id)}).`,
  );
  if (command && job.kind === 'command' && !sent && command.risk !== 'read')
    await runtime.record({ ...blank(job), outcome: 'failed', detail: 'stopped its worker several times' });
  await answerOnce(runtime, job, id, sent ?? { message: lost, failed: true });
  await resumeAfter(runtime, job, id);
}

/** The commands held after it wait for its end, however it ended. */
async function resumeAfter(runtime: Runtime, job: ActJob, id: string): Promise<void> {
  if (job.kind === 'command' && job.source === 'resumed') await resume(runtime, job.person, id);
}

async function answerTo(
  runtime: Runtime,
  job: Exclude<ActJob, { kind: 'command' }>,
  id: string,
  held: Held,
): Promise<Said> {
  try {
    return {
      message: job.kind === 'undo' ? await performUndo(runtime, job, id, held) : await decideApproval(runtime, job),
    };
  } catch (error) {
    if (error instanceof Overtaken) throw error;
    return { message: explain(error, runtime.services), added: true };
  }
}

/** For answers that replace the line. */
const silentMs = 1_000;
/** After a slash command Slack cannot replace the line, so only really slow work gets one. */
const silentWhereItStaysMs = 3_000;
/** Work that starts late may still be quick. */
const leastMs = 300;

/** Silent for a moment; then one line, replaced by the answer or, after a slash command, followed by it. */
async function withWaitingLine(
  { answers, services }: Runtime,
  job: CommandJob,
  id: string,
  work: () => Promise<void>,
): Promise<void> {
  const message = say(md`Working on ${code(job.command)}…`);
  const { wait, keepLine } = services.store.answers;
  const line = { first: () => wait(id), keep: (at: Stands) => keepLine(id, at) };
  const waited = services.now().getTime() - job.acceptedAt;
  const timer = setTimeout(
    () => answers.wait(job, message, line),
    Math.max(leastMs, (job.answer.posted ? silentMs : silentWhereItStaysMs) - waited),
  );
  try {
    await work();
  } finally {
    clearTimeout(timer);
  }
}

const tooOldMs = 30 * 60 * 1000;

/** Typed, submitted, clicked or released by approval: every command goes through here. */
async function performCommand(runtime: Runtime, job: CommandJob, id: string, held: Held): Promise<void> {
  await performOne(runtime, job, id, held);
  await resumeAfter(runtime, job, id);
}

async function performOne(runtime: Runtime, job: CommandJob, id: string, held: Held): Promise<void> {
  const { services } = runtime;
  const finish = (said: Said) => answerOnce(runtime, job, id, said);
  const answer = (message: Message) => finish({ message, failed: true });
  const command = runtime.catalog.get(job.command);
  if (!command)
    return answer(say(md`${code(job.command)} no longer exists. See ${code(`${runtime.services.slash} help`)}.`));
  const sent = await whatWasSent(runtime, command, job, id);
  if (sent) return finish(sent);
  if (services.now().getTime() - job.acceptedAt > tooOldMs) {
    const late = say(
      md`This request is older than 30 minutes, so ${code(command.name)} was not run. Run it again if you still need it.`,
    );
    return answer(withReopenButton(late, command, job));
  }
  const account = await services.store.accounts.get(job.person);
  const agent = job.agent && (await services.store.agents.get(job.agent.id));
  const trouble = job.agent && agentTrouble(agent, account, services);
  if (trouble !== undefined) {
    await runtime.record({ ...blank(job), outcome: 'refused', detail: trouble });
    return answer(say(md`${trouble}`));
  }
  if (command.account !== 'none' && account?.state !== 'active') {
    return answer(await askToLink(runtime, command, job, account));
  }
  try {
    return await finish(await runCommand(runtime, command, job, { account, agent }, id, held));
  } catch (error) {
    if (!(error instanceof SentBefore)) throw error;
    return finish((await whatWasSent(runtime, command, job, id)) ?? {});
  }
}
