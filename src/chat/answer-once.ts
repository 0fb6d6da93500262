import { setTimeout as pause } from 'node:timers/promises';
import type { Message } from '../view/message.js';
import type { ActJob } from './act-job.js';
import type { Workshop } from './workshop.js';

const pausesMs = [500, 2_000, 8_000];

/** Slack may be away for a moment; what was done must still be told, and no second start of the job tells it again. */
export async function answerOnce(
  { house, answers }: Workshop,
  job: ActJob,
  id: string,
  message: Message | undefined,
): Promise<void> {
  if (message) await persistently(() => answers.answer(job, message));
  await house.store.jobs.mark(id, 'answered');
}

async function persistently(tell: () => Promise<void>): Promise<void> {
  for (const pauseMs of pausesMs) {
    try {
      return await tell();
    } catch {
      await pause(pauseMs);
    }
  }
  await tell();
}
