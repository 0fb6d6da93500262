import { z } from 'zod';
import { within } from '../deadline.js';
import { reasonOf } from '../errors.js';
import type { Rank } from '../store/index.js';
import { type Message, withBlocks } from '../view/message.js';
import { type ActJob, Address, type AnswerTo, CommandJob } from './act-job.js';
import { fitBlocks } from './fitted.js';
import type { Runtime } from './runtime.js';

/** The result of a job. */
export interface Said {
  /** Absent when the form reopens and shows the error itself. */
  readonly message?: Message | undefined;
  /** The form is open again, so the answer goes elsewhere. */
  readonly beside?: true;
  /** It failed: the message with the button stays as it is. */
  readonly added?: true;
  /** Everyone in the channel may read it. */
  readonly inPublic?: boolean;
  /** It contains a secret, so it must not stay in any conversation. */
  readonly confidential?: boolean | undefined;
  /** Default: known. An answer that knows more replaces one that knew less. */
  readonly rank?: Rank;
  readonly failed?: boolean;
  /** The command to check on while its outcome is unknown. */
  readonly ask?: CommandJob;
}

const Content = z.object({
  to: Address,
  // Our own message, sealed by us.
  message: z.custom<Message>((value) => typeof value === 'object' && value !== null).optional(),
  ask: CommandJob.optional(),
  failed: z.boolean().optional(),
  // `confidential`, under the name that stored answers have.
  passing: z.boolean().optional(),
});
export type Content = z.infer<typeof Content>;
export const readContent = (value: unknown): Content | undefined => Content.safeParse(value).data;

/** Longer than one delivery attempt may take. */
export const holdMs = 30_000;
/** An answer hardly waits for a forge that does not say what it can do. */
const fittingMs = 1_000;
const mostPauseMs = 15_000;
const lookAfterMs = 30_000;

/** Returns the same object if nothing changes: work in progress is identified by it. */
function placeAnswer(answer: AnswerTo, { added, inPublic }: Said): AnswerTo {
  if (inPublic) return answer.posted ? answer : { ...answer, posted: true };
  return added && answer.replace ? { ...answer, replace: false } : answer;
}

/** Stored before delivery, so neither a crash nor a Slack outage loses it; a restarted job never sends a worse answer. */
export async function answerOnce(runtime: Runtime, job: ActJob, id: string, said: Said): Promise<void> {
  const { person, channel, acceptedAt } = job;
  const { viewId, ...elsewhere } = job.answer;
  const answer = said.beside ? elsewhere : job.answer;
  const to = { person, channel, acceptedAt, answer: placeAnswer(answer, said) };
  const { ask, failed, confidential: passing } = said;
  const message = said.message && (await fitMessage(said.message, runtime));
  await keepAndTell(runtime, id, { to, message, ask, failed, passing }, said.rank ?? 'known');
}

/** Without buttons that this server lacks, and in its own name. */
export async function fitMessage(
  message: Message,
  { catalog, services }: Pick<Runtime, 'catalog' | 'services'>,
): Promise<Message> {
  const blocks = within(fittingMs, fitBlocks(message.blocks, catalog, services.forge), 'too slow');
  return blocks.then((suiting) => withBlocks(message, suiting)).catch(() => message);
}

interface Teller {
  readonly services: Pick<Runtime['services'], 'store' | 'log'>;
  readonly answers: Pick<Runtime['answers'], 'answer'>;
}

export async function keepAndTell(runtime: Teller, id: string, content: Content, rank: Rank): Promise<void> {
  if (await runtime.services.store.answers.keep(id, rank, content, holdMs)) await tellKept(runtime, id, content);
}

/** Delivers once; if Slack refuses, it is due again later. */
export async function tellKept({ services, answers }: Teller, id: string, fresh?: Content): Promise<void> {
  const { store, log } = services;
  const kept = await store.answers.get(id);
  if (!kept) return;
  // The original address object identifies the card of long-running work.
  const content = fresh ?? readContent(kept.content);
  try {
    const stands =
      content?.message && kept.sent !== kept.rank
        ? await answers.answer(content.to, content.message, {
            lasting: kept.rank === 'unknown',
            stands: kept.stands,
            line: kept.line,
            confidential: content.passing,
            failed: content.failed === true,
            again: kept.tries > 0,
            id: `${id}:${kept.rank}`,
            isDoubtful: !fresh,
            sent: (isSent) => store.answers.recordSent(id, isSent ? kept.rank : undefined),
          })
        : undefined;
    await store.answers.recordDelivery(id, kept.rank, stands, kept.rank === 'unknown' ? lookAfterMs : undefined);
  } catch (error) {
    log.warn({ id, tries: kept.tries + 1, reason: reasonOf(error) }, 'Slack rejected an answer; retrying later');
    await store.answers.later(id, Math.min(mostPauseMs, 1_000 * 2 ** kept.tries));
  }
}
