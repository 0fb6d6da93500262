import { say } from '../view/message.js';
import { code, md } from '../view/text.js';
import type { ActJob } from './act-job.js';
import type { Runtime } from './runtime.js';

/** Slack replaces nothing that answers a slash command: the line stays, so only what really takes long gets one. */
const silentMs = 3_000;
/** Work that begins late may still be quick. */
const leastMs = 300;

/** Silence for a few seconds; then one line, and the answer below it. */
export async function withWaitingLine(
  { answers, services }: Runtime,
  job: ActJob,
  id: string,
  work: () => Promise<void>,
): Promise<void> {
  if (job.kind !== 'command') return work();
  const line = say(md`Working on ${code(job.command)}…`);
  const waited = services.now().getTime() - job.acceptedAt;
  const timer = setTimeout(
    () => answers.wait(job, line, () => services.store.answers.wait(id)),
    Math.max(leastMs, silentMs - waited),
  );
  try {
    await work();
  } finally {
    clearTimeout(timer);
  }
}
