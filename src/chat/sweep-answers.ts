import { answerOnce, holdMs, readContent, tellKept } from './answer-once.js';
import { found } from './outcome.js';
import type { Runtime } from './runtime.js';

/** The first check is after half a minute; then less and less often, until nobody would still expect an answer. */
const looksAfterMs = [90_000, 600_000, 1_800_000] as const;

/** Delivers answers that Slack refused and follows up on unknown outcomes; what is found replaces the earlier answer. */
export async function sweepAnswers(runtime: Runtime): Promise<void> {
  const due = await runtime.services.store.answers.due(holdMs);
  const failed = (id: string) => (error: unknown) =>
    runtime.services.log.warn({ id, reason: String(error) }, 'could not follow up on an answer');
  await Promise.all(due.map((id) => attend(runtime, id).catch(failed(id))));
}

async function attend(runtime: Runtime, id: string): Promise<void> {
  const { answers } = runtime.services.store;
  const kept = await answers.get(id);
  if (!kept) return answers.later(id, 0);
  if (kept.delivered !== kept.rank) return tellKept(runtime, id);
  const job = readContent(kept.content)?.ask;
  const command = job && runtime.catalog.get(job.command);
  const stamp = command && (await runtime.services.store.jobs.marked(id, 'sent'));
  const said = stamp && (await found(runtime, command, job, id, stamp, [0]));
  if (said) return answerOnce(runtime, job, id, said);
  const next = looksAfterMs[kept.tries];
  return next === undefined ? answers.delivered(id, kept.rank, undefined) : answers.later(id, next);
}
