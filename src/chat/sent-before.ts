import type { Stamp } from '../store/index.js';
import { unknownCard } from '../view/cards/outcome.js';
import { type Message, message } from '../view/message.js';
import { code, link, type Mrkdwn } from '../view/text.js';
import type { CommandJob } from './act-job.js';
import type { Said } from './answer-once.js';
import type { AnyCommand } from './command.js';
import { lookForJob } from './outcome.js';
import { fullName, pageIn, refOf, webAddress } from './references.js';
import type { Entry, Runtime } from './runtime.js';
import type { Services } from './session.js';

/** A write that must not be doubled left for the forge before the work was cut off: found there, or unknown. */
export async function whatWasSent(
  runtime: Runtime,
  command: AnyCommand,
  job: CommandJob,
  id: string,
): Promise<Said | undefined> {
  const stamp = command.effect === 'once' ? await runtime.services.store.jobs.marked(id, 'sent') : undefined;
  if (!stamp) return undefined;
  // Not there yet is not the same as not done: the sender may be asleep, and so may the forge.
  return (await found(runtime, command, job, id, stamp)) ?? unknownOutcome(runtime, command, job);
}

/** The answer of what was sent, where it is at the forge by now. */
export async function found(
  runtime: Runtime,
  command: AnyCommand,
  job: CommandJob,
  id: string,
  stamp: Stamp,
  pauses?: readonly number[],
): Promise<Said | undefined> {
  const looked = await lookForJob(runtime.services, command, job, id, stamp, pauses);
  if (typeof looked !== 'object') return undefined;
  await runtime.record({ ...blank(job), outcome: 'done', detail: foundByLooking });
  return { message: looked.found };
}

export const foundByLooking = 'not confirmed by the forge; found there afterwards';

/** Said where a person can find it again, and where a better answer can take its place. */
export async function unknownOutcome(
  runtime: Runtime,
  command: AnyCommand,
  job: CommandJob,
  calls: Entry['operations'] = [],
): Promise<Said> {
  await runtime.record({ ...blank(job), operations: calls, outcome: 'unknown' });
  return { message: unknownMessage(command, job.args, runtime.services), rank: 'unknown', ask: job };
}

export function unknownMessage(
  command: AnyCommand,
  args: Readonly<Record<string, unknown>>,
  { forge }: Pick<Services, 'forge'>,
): Message {
  const look = placeIn(args, forge.web);
  return message({ blocks: unknownCard({ asked: code(command.name), look }) });
}

/** Where a person sees whether it happened. */
function placeIn(args: Readonly<Record<string, unknown>>, web: string): Mrkdwn {
  const page = pageIn(args);
  if (!page) return link(web, 'the forge');
  return link(webAddress(web, page), 'index' in page.of ? refOf(page.of) : fullName(page.of));
}

/** Nothing happened yet. */
export const blank = (job: CommandJob): Omit<Entry, 'outcome'> => ({
  person: job.person,
  agent: job.agent,
  login: '',
  command: job.command,
  args: job.args,
  operations: [],
  durationMs: 0,
});
