import pMap from 'p-map';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { optional, repository } from '../../chat/fields.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { possible, unlessUnseen } from '../../forge/possible.js';
import type { Queue } from '../../store/index.js';
import { divider, section } from '../../view/blocks.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { queueBlocks, refIn } from './entry.js';

const mostQueues = 10;
/** Others may be in repositories this person doesn’t see. */
const mostLooked = 50;

/** Only what this person sees of pull requests, in the very repository the queue is for. */
async function isSeen(queue: Queue, context: Context): Promise<boolean> {
  const { owner, repo, repository, entries } = queue;
  const [entry] = entries;
  if (!(await context.mayShow({ owner, repo }))) return false;
  const found = entry
    ? (await possible(unlessUnseen(context.api.pulls.get(refIn(queue, entry)))))?.base?.repo
    : await unlessUnseen(context.api.repos.get({ owner, repo }));
  return found?.id === repository;
}

async function readQueues({ repository }: { readonly repository?: RepositoryRef | undefined }, context: Context) {
  const id = repository && (await context.api.repos.get(repository)).id;
  const all = (await context.store.queues.list())
    .filter((queue) => (repository ? queue.repository === id : queue.entries.length > 0 || queue.paused))
    .sort((a, b) => b.entries.length - a.entries.length)
    .slice(0, mostLooked);
  const seen = await pMap(all, async (queue) => ((await isSeen(queue, context)) ? [queue] : []), { concurrency: 5 });
  return seen.flat().slice(0, mostQueues);
}

export const queueList = command({
  name: 'queue list',
  title: 'Show merge queues',
  summary: 'Show what is queued, what it waits for and how the last ones went',
  examples: ['queue list', 'queue list acme/engine'],
  fields: { repository: optional(repository()) },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['repos.get', 'pulls.get'],
  needs: ['pulls.get'],
  plan: () => [],
  run: readQueues,
  reply(queues, { repository }, { policy, now, forge: { web } }) {
    const where = repository ? ` in ${fullName(repository)}` : '';
    if (queues.length === 0) return message({ blocks: [section(md`Nothing is queued${where}.`)] });
    const blocks = queues.flatMap((queue, at) => [
      ...(at === 0 ? [] : [divider()]),
      ...queueBlocks(queue, { policy, now, web }),
    ]);
    return message({ blocks });
  },
});
