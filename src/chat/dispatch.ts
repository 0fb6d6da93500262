import type { Message } from '../view/message.js';
import type { ActJob } from './act-job.js';
import { decideApproval } from './approval/decide.js';
import type { Desk } from './approval/desk.js';
import { explain } from './explain.js';
import { perform } from './runner.js';
import { performUndo } from './undo.js';
import type { Workshop } from './workshop.js';

/** Accepted work of every kind, answered once however often it is started. */
export async function dispatch(shop: Workshop, desk: Desk, job: ActJob, id: string): Promise<void> {
  if (job.kind === 'command') return perform(shop, job, id);
  const { jobs } = shop.house.store;
  if ((await jobs.marked(id, 'answered')) || (await jobs.marked(id, 'abandoned'))) return;
  const answer = await answerTo(shop, desk, job, id);
  if (answer) await shop.answers.answer(job, answer);
  await jobs.mark(id, 'answered');
}

async function answerTo(
  shop: Workshop,
  desk: Desk,
  job: Exclude<ActJob, { kind: 'command' }>,
  id: string,
): Promise<Message | undefined> {
  try {
    return job.kind === 'undo' ? await performUndo(shop, job, id) : await decideApproval(desk, job);
  } catch (error) {
    return explain(error, { slash: shop.slash, log: shop.house.log });
  }
}
