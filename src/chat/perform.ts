import type { Stands } from '../store/index.js';
import { type Message, say } from '../view/message.js';
import { code, md } from '../view/text.js';
import type { ActJob, CommandJob } from './act-job.js';
import { agentTrouble } from './agent.js';
import { answerOnce, type Said } from './answer-once.js';
import { decideApproval } from './approval/decide.js';
import { explain } from './explain.js';
import { type Held, Overtaken, SentBefore } from './hold.js';
import { askToLink, resume } from './linking.js';
import { blank, whatWasSent } from './outcome.js';
import { withReopenButton } from './reopen-button.js';
import { runCommand } from './run-command.js';
import type { Runtime } from './runtime.js';
import { performUndo } from './undo.js';

/** Performs accepted work of every kind; answered once, however often it is started. */
export async function perform(runtime: Runtime, job: ActJob, id: string, held: Held): Promise<void> {
  const { jobs, answers } = runtime.services.store;
  // it may have been interrupted after its answer, before it started the next
  if (await answers.rank(id)) return resumeAfter(runtime, job, id);
  if (await jobs.marked(id, 'abandoned')) return;
  if (job.kind === 'command' && runtime.catalog.get(job.command)?.quiet) return performCommand(runtime, job, id, held);
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
