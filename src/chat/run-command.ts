import type { OperationName } from '../forge/index.js';
import type { Account, Agent } from '../store/index.js';
import { type Message, withBlocks } from '../view/message.js';
import type { CommandJob } from './act-job.js';
import { actedByArgs } from './acted.js';
import { undoButton } from './actions.js';
import { refuseRole, refuseUnsupported } from './admit.js';
import { admitAgent } from './agent-admit.js';
import type { Said } from './answer-once.js';
import { askApproval } from './approval/ask.js';
import { policyFor, policyWords } from './approval/policy.js';
import { openArgs, resolveArgs } from './arguments.js';
import type { AnyCommand } from './command.js';
import type { Context, UndoOffer } from './context.js';
import { dryRun } from './dry-run.js';
import { type Attempt, failed, replyTo } from './failed.js';
import { bindButtons } from './fitted.js';
import { guardWrites, type Held, Overtaken, SentBefore } from './hold.js';
import { commandLine } from './line.js';
import { resume } from './linking.js';
import { isOpenly } from './openly.js';
import { blank } from './outcome.js';
import { knownIn, lookUpIds, namedIn, refuseTakenOver } from './repo-ids.js';
import type { Entry, Runtime } from './runtime.js';
import { openSession } from './session.js';
import { withUndoFirst } from './undo-row.js';

/** Checks permission, asks for approval if a policy says so, runs, records; returns what the person reads. */
export async function runCommand(
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
  const context = await openSession(services, {
    person: job.person,
    channel: job.channel,
    account,
    agent,
    command,
    job: id,
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
    try {
      refuseRole(command, services.roles.of(job.person));
      await refuseUnsupported(command, services.forge);
      await refuseTakenOver(known, context.api);
      const args = await resolveArgs(command, openArgs(command, job, services.store), context);
      attempt.args = args;
      if (agent) await admitAgent(agent, command, args, context);
      if (job.dryRun) {
        const { policy, source, asks } = await policyFor(command, args, context, runtime.policies);
        const words = { line: commandLine(command, job.args), approval: policy && policyWords(policy), source, asks };
        return { message: await dryRun(command, args, context, words) };
      }
      const waiting = await askApproval(runtime, command, args, context, job, id);
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
      return {
        message: await withUndo(runtime, context, command, reply, offers.at(-1)),
        openly: await isOpenly(runtime, command, args, job).catch(() => false),
        confidential: command.confidential,
      };
    } catch (error) {
      if (error instanceof Overtaken || error instanceof SentBefore) throw error;
      return failed(attempt, context, error);
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
