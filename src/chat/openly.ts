import type { CommandJob } from './act-job.js';
import type { AnyCommand } from './command.js';
import type { Args, Fields } from './field.js';
import { repositoriesIn } from './references.js';
import type { Runtime } from './runtime.js';

/** What changes about these concerns everyone in the conversation, and no answer of theirs holds a secret. */
const shared: ReadonlySet<string> = new Set(['issue', 'pr', 'run', 'workflow']);

/** Whether everyone in the channel may read the answer to what was written there; else only its person does. */
export async function isOpenly(
  { exposed }: Runtime,
  command: AnyCommand,
  args: Args<Fields>,
  { source, channel, answer }: CommandJob,
): Promise<boolean> {
  const [noun = ''] = command.name.split(' ');
  // a form has a thread where it was opened from a message
  const isThread = source === 'written' || (source === 'form' && answer.threadTs !== undefined);
  if (!isThread || channel === undefined || command.risk === 'read' || !shared.has(noun)) return false;
  const [repository, another] = repositoriesIn(args);
  return repository !== undefined && another === undefined && (await exposed(repository, channel)) === undefined;
}
