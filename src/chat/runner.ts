import type { OperationName } from '../forge/index.js';
import type { Account, Agent, Person } from '../store/index.js';
import { type Message, say, withBlocks } from '../view/message.js';
import { code, md } from '../view/text.js';
import type { CommandJob } from './act-job.js';
import { actedByArgs } from './acted.js';
import { undoButton } from './actions.js';
import { refuseRole, refuseUnsupported } from './admit.js';
import { agentTrouble } from './agent.js';
import { admitAgent } from './agent-admit.js';
import { answerOnce, type Said } from './answer-once.js';
import { openArgs, resolveArgs } from './arguments.js';
import type { AnyCommand } from './command.js';
import type { UndoOffer } from './context.js';
import { dryRun } from './dry-run.js';
import { type Attempt, failed, replyTo } from './failed.js';
import { fitted } from './fitted.js';
import { guardWrites, type Held, Overtaken, SentBefore } from './hold.js';
import { commandLine } from './line.js';
import { askToLink, resume } from './linking.js';
import { isOpenly } from './openly.js';
import type { Entry, Runtime } from './runtime.js';
import { blank, whatWasSent } from './sent-before.js';
import { openSession } from './session.js';
import { withUndoFirst } from './undo-row.js';
import { withWayBack } from './way-back.js';

const tooOldMs = 30 * 60 * 1000;

/** Typed, submitted, clicked or released by approval: every command takes this road. */
export async function perform(runtime: Runtime, job: CommandJob, id: string, held: Held): Promise<void> {
  await performOne(runtime, job, id, held);
  if (job.source === 'resumed') await resume(runtime, job.person, id);
}

async function performOne(runtime: Runtime, job: CommandJob, id: string, held: Held): Promise<void> {
  const { services } = runtime;
  const finish = (said: Said) => answerOnce(runtime, job, id, said);
  const answer = (message: Message) => finish({ message, failed: true });
  const command = runtime.catalogue.get(job.command);
  if (!command) return answer(say(md`${code(job.command)} no longer exists. See ${code(`${runtime.slash} help`)}.`));
  const sent = await whatWasSent(runtime, command, job, id);
  if (sent) return finish(sent);
  if (services.now().getTime() - job.acceptedAt > tooOldMs) {
    const late = say(
      md`This request is older than 30 minutes, so ${code(command.name)} was not run. Run it again if you still need it.`,
    );
    return answer(withWayBack(late, command, job));
  }
  const account = await services.store.accounts.get(job.person);
  const agent = job.agent && (await services.store.agents.get(job.agent.id));
  const trouble = job.agent && agentTrouble(agent, account, services.now());
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
  const guard = guardWrites(services.store, { id, effect: command.effect, held, note: () => notes.at(-1) });
  const context = await openSession(services, {
    person: job.person,
    channel: job.channel,
    account,
    agent,
    job: id,
    async beforeWrite() {
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
      // with the channel's own repository and linked people filled in, once they are known
      args: attempt.args ?? job.args,
      login: context.login,
      operations: calls,
      outcome,
      durationMs: Math.round(performance.now() - started),
      ...(detail === undefined ? {} : { detail }),
    });
  }
  try {
    refuseRole(command, services.roles.of(job.person));
    await refuseUnsupported(command, services.forge);
    const args = await resolveArgs(command, openArgs(command, job, services.store), context);
    attempt.args = args;
    if (agent) await admitAgent(agent, command, args, context);
    if (job.dryRun) {
      const words = { line: commandLine(command, job.args), ...(await runtime.gate.words(command, args, context)) };
      return { message: await dryRun(command, args, context, words) };
    }
    const waiting = await runtime.gate.ask(command, args, context, job, id);
    if (waiting) {
      await record('asked');
      return { message: waiting };
    }
    const result = await command.run(args, context);
    const reply = await replyTo(command, result, args, context);
    if (command.risk !== 'read' || agent) await record('done');
    if (command.risk !== 'read') runtime.acted(context, actedByArgs(args));
    if (command.quiet) return {};
    if (command.resumes) await resume(runtime, job.person, id);
    const whole = await withUndo(runtime, job.person, command, reply, offers.at(-1));
    return {
      message: withBlocks(whole, await fitted(whole.blocks, runtime.catalogue, services.forge)),
      openly: await isOpenly(runtime, command, args, job).catch(() => false),
      passing: command.confidential,
    };
  } catch (error) {
    if (error instanceof Overtaken || error instanceof SentBefore) throw error;
    return failed(attempt, context, error);
  }
}

async function withUndo(
  runtime: Runtime,
  person: Person,
  command: AnyCommand,
  reply: Message,
  offer: UndoOffer | undefined,
): Promise<Message> {
  if (!offer) return reply;
  const id = await runtime.keepUndo(person, offer);
  return withBlocks(reply, withUndoFirst(reply.blocks, undoButton(id, person.user), command.opposite));
}
