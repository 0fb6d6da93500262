import { type Message, say } from '../view/message.js';
import { code, md } from '../view/text.js';
import type { ActJob } from './act-job.js';
import { answerOnce } from './answer-once.js';
import { decideApproval } from './approval/decide.js';
import type { Desk } from './approval/desk.js';
import { explain } from './explain.js';
import { type Held, Overtaken } from './hold.js';
import { perform } from './runner.js';
import { blank, whatWasSent } from './sent-before.js';
import { performUndo } from './undo.js';
import type { Workshop } from './workshop.js';

/** Accepted work of every kind, answered once however often it is started. */
export async function dispatch(shop: Workshop, desk: Desk, job: ActJob, id: string, held: Held): Promise<void> {
  const { jobs, answers } = shop.house.store;
  if ((await answers.rank(id)) || (await jobs.marked(id, 'abandoned'))) return;
  if (job.kind === 'command') return perform(shop, job, id, held);
  await answerOnce(shop, job, id, { message: await answerTo(shop, desk, job, id, held) });
}

/** It stopped its worker too often, or nobody could be told: what is known is said, once. */
export async function giveUp(shop: Workshop, job: ActJob, id: string): Promise<void> {
  if (await shop.house.store.answers.rank(id)) return;
  const command = job.kind === 'command' ? shop.catalogue.get(job.command) : undefined;
  const sent = command && job.kind === 'command' ? await whatWasSent(shop, command, job, id) : undefined;
  const lost = say(
    md`This failed several times and was stopped. Try again, or ask an admin to check the logs (ref ${code(id)}).`,
  );
  if (command && job.kind === 'command' && !sent && command.risk !== 'read')
    await shop.record({ ...blank(job), outcome: 'failed', detail: 'stopped its worker too often' });
  await answerOnce(shop, job, id, sent ?? { message: lost });
}

async function answerTo(
  shop: Workshop,
  desk: Desk,
  job: Exclude<ActJob, { kind: 'command' }>,
  id: string,
  held: Held,
): Promise<Message | undefined> {
  try {
    return job.kind === 'undo' ? await performUndo(shop, job, id, held) : await decideApproval(desk, job);
  } catch (error) {
    if (error instanceof Overtaken) throw error;
    return explain(error, { slash: shop.slash, log: shop.house.log });
  }
}
