import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { pull } from '../../chat/fields.js';
import { type ItemRef, refOf } from '../../chat/references.js';
import { asCode, UserError } from '../../errors.js';
import { ifAnswered } from '../../forge/possible.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { code, md, mentionOf } from '../../view/text.js';
import { readPull } from '../pulls/read.js';
import { isBy, showStatus } from './entry.js';

/** By the person who added it, or anyone who could merge it themselves. Found even if it targets another branch by now. */
async function remove({ pull: ref }: { readonly pull: ItemRef }, context: Context) {
  const { store, person, api } = context;
  const { owner, repo, index } = ref;
  const repository = (await readPull(ref, context)).base?.repo?.id;
  const found = (await store.queues.list())
    .filter((queue) => queue.repository === repository)
    .flatMap((queue) => queue.entries.flatMap((entry) => (entry.index === index ? [{ queue, entry }] : [])))
    .find(({ entry }) => entry.step.at !== 'over');
  if (!found) throw new UserError(`${refOf(ref)} isn’t in a queue.`);
  const { queue, entry } = found;
  const isOwn = isBy(entry, person);
  const branch = isOwn ? undefined : await ifAnswered(api.repos.getBranch({ owner, repo, branch: queue.base }));
  if (!isOwn && branch?.user_can_merge !== true)
    throw new UserError(
      `Only ${entry.by.login ?? 'the person who added it'} or someone who may merge into ${asCode(queue.base)} can remove ${refOf(ref)}.`,
    );
  const merging = `${refOf(ref)} is being merged right now, so it can’t be removed.`;
  await store.queues.change(queue, (now) => {
    const present = now?.entries.find(({ key }) => key === entry.key);
    if (present?.step.at === 'merging') throw new UserError(merging);
    return now && { ...now, entries: now.entries.filter(({ key }) => key !== entry.key) };
  });
  if (entry.isShown) await ifAnswered(showStatus(api, ref, entry, 'failure', 'Removed from the queue.'));
  return { entry, isOwn, base: queue.base };
}

export const queueRemove = command({
  name: 'queue remove',
  aliases: ['pr cancel-merge'],
  title: 'Remove from merge queue',
  summary: 'Take a pull request out of the merge queue',
  examples: ['queue remove acme/engine#5'],
  fields: { pull: pull({ only: 'open' }) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: ['pulls.get', 'repos.createStatus', 'repos.getBranch', 'issues.get'],
  needs: ['pulls.get'],
  plan: () => [],
  run: remove,
  reply({ entry, isOwn, base }, { pull: ref }) {
    const whose = isOwn ? md`` : md` ${mentionOf(entry.by)} had added it.`;
    return message({ blocks: doneCard({ says: md`Removed ${refOf(ref)} from the queue for ${code(base)}.${whose}` }) });
  },
});
