import type { Stamp } from '../store/index.js';
import { unknownCard } from '../view/cards/outcome.js';
import { type Message, message } from '../view/message.js';
import { code, link, type Mrkdwn } from '../view/text.js';
import type { CommandJob } from './act-job.js';
import type { Said } from './answer-once.js';
import type { AnyCommand } from './command.js';
import { fullName, pageIn, refOf, webAddress } from './references.js';
import type { House } from './session.js';
import { lookForJob } from './settle.js';
import type { Entry, Workshop } from './workshop.js';

/** A write that must not be doubled left for the forge before the work was cut off: found there, or unknown. */
export async function whatWasSent(
  shop: Workshop,
  command: AnyCommand,
  job: CommandJob,
  id: string,
): Promise<Said | undefined> {
  const stamp = command.effect === 'once' ? await shop.house.store.jobs.marked(id, 'sent') : undefined;
  if (!stamp) return undefined;
  // Not there yet is not the same as not done: whoever sent it may be asleep, and so may the forge.
  return (await found(shop, command, job, stamp)) ?? unknownOutcome(shop, command, job);
}

/** The answer of what was sent, where it is at the forge by now. */
export async function found(
  shop: Workshop,
  command: AnyCommand,
  job: CommandJob,
  stamp: Stamp,
  pauses?: readonly number[],
): Promise<Said | undefined> {
  const looked = await lookForJob(shop.house, command, job, stamp, pauses);
  if (typeof looked !== 'object') return undefined;
  await shop.record({ ...blank(job), outcome: 'done', detail: foundByLooking });
  return { message: looked.found };
}

export const foundByLooking = 'the answer was lost; found by looking';

/** Said where a person can find it again, and where a better answer can take its place. */
export async function unknownOutcome(
  shop: Workshop,
  command: AnyCommand,
  job: CommandJob,
  calls: Entry['operations'] = [],
): Promise<Said> {
  await shop.record({ ...blank(job), operations: calls, outcome: 'unknown' });
  return { message: unknownMessage(command, job.args, shop.house), rank: 'unknown', ask: job };
}

export function unknownMessage(
  command: AnyCommand,
  args: Readonly<Record<string, unknown>>,
  { forge }: Pick<House, 'forge'>,
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
  login: '',
  command: job.command,
  args: job.args,
  operations: [],
  durationMs: 0,
});
