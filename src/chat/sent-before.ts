import { unknownCard } from '../view/cards/outcome.js';
import { type Message, message } from '../view/message.js';
import { code, link, md } from '../view/text.js';
import type { CommandJob } from './act-job.js';
import { maskArgs } from './arguments.js';
import type { AnyCommand } from './command.js';
import { commandLine } from './line.js';
import { settleJob } from './settle.js';
import type { Entry, Workshop } from './workshop.js';

/** A write that must not be doubled left for the forge before the work was cut off: found there, or unknown. */
export async function whatWasSent(
  shop: Workshop,
  command: AnyCommand,
  job: CommandJob,
  id: string,
): Promise<Message | undefined> {
  const { house } = shop;
  if (command.effect !== 'once' || !(await house.store.jobs.marked(id, 'sent'))) return undefined;
  const settled = await settleJob(house, command, job);
  await shop.record({ ...blank(job), outcome: settled ? 'done' : 'unknown' });
  return settled ?? unknownOutcome(shop, command, job);
}

function unknownOutcome(shop: Workshop, command: AnyCommand, job: CommandJob): Message {
  const asked = code(commandLine(command, maskArgs(command, job.args)));
  const look = link(shop.house.forge.web, 'the forge');
  return message({ text: md`The outcome of ${command.name} is unknown.`, blocks: unknownCard({ asked, look }) });
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
