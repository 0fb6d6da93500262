import { say } from '../view/message.js';
import { code, md } from '../view/text.js';
import type { ActJob } from './act-job.js';
import { answerOnce, type Said } from './answer-once.js';
import { decideApproval } from './approval/decide.js';
import type { ApprovalDeps } from './approval/deps.js';
import { explain } from './explain.js';
import { type Held, Overtaken } from './hold.js';
import { perform } from './runner.js';
import type { Runtime } from './runtime.js';
import { blank, whatWasSent } from './sent-before.js';
import { performUndo } from './undo.js';
import { withWaitingLine } from './waiting-line.js';

/** Accepted work of every kind, answered once however often it is started. */
export async function dispatch(
  runtime: Runtime,
  deps: ApprovalDeps,
  job: ActJob,
  id: string,
  held: Held,
): Promise<void> {
  const { jobs, answers } = runtime.services.store;
  if ((await answers.rank(id)) || (await jobs.marked(id, 'abandoned'))) return;
  if (job.kind === 'command' && runtime.catalogue.get(job.command)?.quiet) return perform(runtime, job, id, held);
  if (job.kind === 'command') return withWaitingLine(runtime, job, id, () => perform(runtime, job, id, held));
  await answerOnce(runtime, job, id, await answerTo(runtime, deps, job, id, held));
}

/** It stopped its worker too often, or nobody could be told: what is known is said, once. */
export async function giveUp(runtime: Runtime, job: ActJob, id: string): Promise<void> {
  if (await runtime.services.store.answers.rank(id)) return;
  const command = job.kind === 'command' ? runtime.catalogue.get(job.command) : undefined;
  const sent = command && job.kind === 'command' ? await whatWasSent(runtime, command, job, id) : undefined;
  const lost = say(
    md`This failed several times and was stopped. Try again, or ask an admin to check the logs (ref ${code(id)}).`,
  );
  if (command && job.kind === 'command' && !sent && command.risk !== 'read')
    await runtime.record({ ...blank(job), outcome: 'failed', detail: 'stopped its worker several times' });
  await answerOnce(runtime, job, id, sent ?? { message: lost });
}

async function answerTo(
  runtime: Runtime,
  deps: ApprovalDeps,
  job: Exclude<ActJob, { kind: 'command' }>,
  id: string,
  held: Held,
): Promise<Said> {
  try {
    return {
      message: job.kind === 'undo' ? await performUndo(runtime, job, id, held) : await decideApproval(deps, job),
    };
  } catch (error) {
    if (error instanceof Overtaken) throw error;
    return { message: explain(error, { slash: runtime.slash, log: runtime.services.log }), added: true };
  }
}
