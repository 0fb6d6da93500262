import { UserError } from '../errors.js';
import { ApiError, type OperationName } from '../forge/index.js';
import type { Account, Person } from '../store/index.js';
import { actions } from '../view/blocks.js';
import { type Message, say, withBlocks } from '../view/message.js';
import { code, md } from '../view/text.js';
import type { CommandJob } from './act-job.js';
import { undoButton } from './actions.js';
import { refuseRole, refuseUnsupported } from './admit.js';
import { answerOnce } from './answer-once.js';
import { openArgs, resolveArgs } from './arguments.js';
import type { AnyCommand } from './command.js';
import type { UndoOffer } from './context.js';
import { dryRun } from './dry-run.js';
import { explain } from './explain.js';
import { guardWrites, type Held, Overtaken, SentBefore } from './hold.js';
import { commandLine } from './line.js';
import { askToLink, askToRelink, resume } from './linking.js';
import { blank, whatWasSent } from './sent-before.js';
import { openSession } from './session.js';
import { withWayBack } from './way-back.js';
import type { Entry, Workshop } from './workshop.js';

const tooOldMs = 30 * 60 * 1000;

/** Typed, submitted, clicked or released by approval: every command takes this road. */
export async function perform(shop: Workshop, job: CommandJob, id: string, held: Held): Promise<void> {
  const { house } = shop;
  const finish = (answer: Message | undefined) => answerOnce(shop, job, id, answer);
  const command = shop.catalogue.get(job.command);
  if (!command)
    return finish(say(md`There is no command ${code(job.command)} any more. See ${code(`${shop.slash} help`)}.`));
  const sent = await whatWasSent(shop, command, job, id);
  if (sent) return finish(sent);
  if (house.now().getTime() - job.acceptedAt > tooOldMs) {
    const late = say(
      md`${code(command.name)} waited more than 30 minutes and was not run. Ask again if it is still wanted.`,
    );
    return finish(withWayBack(late, command, job));
  }
  const account = await house.store.accounts.get(job.person);
  if (command.account !== 'none' && account?.state !== 'active') {
    await house.store.pending.put(job.person, job);
    return finish(askToLink(command, account));
  }
  try {
    return await finish(await runCommand(shop, command, job, account, id, held));
  } catch (error) {
    if (!(error instanceof SentBefore)) throw error;
    return finish(await whatWasSent(shop, command, job, id));
  }
}

/** Undefined where the form came back and says itself what went wrong. */
async function runCommand(
  shop: Workshop,
  command: AnyCommand,
  job: CommandJob,
  account: Account | undefined,
  id: string,
  held: Held,
): Promise<Message | undefined> {
  const { house, answers } = shop;
  const started = performance.now();
  const calls: { name: OperationName; status: number | undefined }[] = [];
  const offers: UndoOffer[] = [];
  const context = await openSession(house, {
    person: job.person,
    channel: job.channel,
    account,
    beforeWrite: guardWrites(house.store, { id, effect: command.effect, held }),
    afterCall: (name, { status }) => {
      calls.push({ name, status });
    },
    progress: (shown) => answers.progress(job, shown),
    offerUndo: (offer) => {
      offers.push(offer);
    },
  });
  const record = (outcome: Entry['outcome'], detail?: string) =>
    shop.record({
      ...blank(job),
      login: context.login,
      operations: calls,
      outcome,
      durationMs: Math.round(performance.now() - started),
      ...(detail === undefined ? {} : { detail }),
    });
  try {
    refuseRole(command, house.roles.of(job.person));
    await refuseUnsupported(command, house.forge);
    const args = await resolveArgs(command, openArgs(command, job, house.store), context);
    if (job.dryRun) {
      const words = { line: commandLine(command, job.args), approval: shop.gate.words(command, args) };
      return await dryRun(command, args, context, words);
    }
    const waiting = await shop.gate.ask(command, args, context, job, id);
    if (waiting) {
      await record('asked');
      return waiting;
    }
    const result = await command.run(args, context);
    const reply = await command.reply(result, args, context);
    if (command.risk !== 'read') await record('done');
    if (command.resumes) await resume(shop, job.person, id);
    return await withUndo(shop, job.person, reply, offers.at(-1));
  } catch (error) {
    if (error instanceof Overtaken || error instanceof SentBefore) throw error;
    const refused = error instanceof ApiError && error.kind === 'unauthorized';
    if (refused && account && calls.some(({ status }) => status === 401)) {
      await askToRelink(shop, account);
      if (calls.every(({ status }) => status === 401)) {
        await house.store.pending.put(job.person, job);
        return askToLink(command, account);
      }
    } else if (refused && account) {
      await record('failed', reason(error));
      return say(
        md`The forge no longer accepts a credential that is not yours: Bellows’ own, or that of somebody this is about. Tell whoever runs Bellows.`,
      );
    }
    const conflict = error instanceof ApiError && error.kind === 'conflict';
    if (conflict && (await answers.reopen(job, command, 'conflict'))) {
      return say(md`Somebody changed it meanwhile: the form shows both texts.`);
    }
    if (command.risk !== 'read' || !(error instanceof UserError)) await record('failed', reason(error));
    const said = explain(error, { command, slash: shop.slash, log: context.log });
    return (await answers.reopen(job, command, said)) ? undefined : withWayBack(said, command, job);
  }
}

async function withUndo(
  shop: Workshop,
  person: Person,
  reply: Message,
  offer: UndoOffer | undefined,
): Promise<Message> {
  if (!offer) return reply;
  const id = await shop.keepUndo(person, offer);
  return withBlocks(reply, [...reply.blocks, actions(undoButton(id))]);
}

function reason(error: unknown): string {
  if (error instanceof ApiError) return `${error.kind}${error.status === undefined ? '' : ` ${error.status}`}`;
  return error instanceof UserError ? error.message : 'defect';
}
