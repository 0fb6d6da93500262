import type { CommandJob } from './act-job.js';
import type { AnyCommand } from './command.js';
import type { Args, Fields } from './field.js';
import { repositoriesIn } from './references.js';
import type { Runtime } from './runtime.js';

/** Changes to these concern everyone in the conversation, and none of their answers contains a secret. */
const shared: ReadonlySet<string> = new Set(['issue', 'pr', 'run', 'workflow']);

/** Whether everyone in the channel may read the answer; otherwise only the person who asked. */
export async function isOpenly(
  { exposed }: Runtime,
  command: AnyCommand,
  args: Args<Fields>,
  { source, channel, answer }: CommandJob,
): Promise<boolean> {
  const [noun = ''] = command.name.split(' ');
  // a form opened from a message has a thread
  const isThread = source === 'written' || (source === 'form' && answer.threadTs !== undefined);
  if (!isThread || channel === undefined || command.risk === 'read' || !shared.has(noun)) return false;
  const [repository, another] = repositoriesIn(args);
  return repository !== undefined && another === undefined && (await exposed(repository, channel)) === undefined;
}
