import { runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { branch, duration, flag, optional, repository, requireName, text } from '../../chat/fields.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { asCode, UserError } from '../../errors.js';
import { splitFullName } from '../../full-name.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { code, md } from '../../view/text.js';
import { date } from '../../view/when.js';
import { emptyQueue, isPaused, restsBecause } from './entry.js';

interface Which {
  readonly repository: RepositoryRef;
  readonly branch?: string | undefined;
}

const month = 31 * 86_400;

/** The queue of a branch that this person may merge into; the default one if none is named. */
async function find({ repository: at, branch }: Which, { api }: Context) {
  const { id, default_branch, owner, full_name } = await api.repos.get(at);
  const base = branch ?? default_branch;
  const found = await api.repos.getBranch({ ...at, branch: base });
  if (found.user_can_merge !== true)
    throw new UserError(
      `You can’t merge into ${asCode(base)} of ${fullName(at)}, so you can’t pause or resume its queue.`,
    );
  return { repository: id, base, ownerId: owner?.id, ...splitFullName(full_name) };
}

async function pause(asked: Which & { readonly for?: number | undefined; readonly reason: string }, context: Context) {
  const { store, person, login, now } = context;
  const of = await find(asked, context);
  const until = asked.for === undefined ? undefined : now.getTime() + asked.for * 1_000;
  await store.queues.change(of, (before) => ({
    ...(before ?? emptyQueue(of)),
    paused: {
      by: { ...person, login },
      at: now.getTime(),
      ...(until !== undefined && { until }),
      reason: asked.reason,
    },
  }));
  return { base: of.base, until };
}

async function resume(asked: Which, context: Context) {
  const of = await find(asked, context);
  const before = await context.store.queues.get(of);
  if (!before || !isPaused(before, context.now))
    throw new UserError(`The queue for ${asCode(of.base)} of ${fullName(asked.repository)} isn’t paused.`);
  const next = await context.store.queues.change(of, (queue) => {
    const { paused: _, ...rest } = queue ?? before;
    return rest;
  });
  return { base: of.base, still: next && restsBecause(next, context.policy.queues, context.now) };
}

export const queuePause = command({
  name: 'queue pause',
  title: 'Pause merge queue',
  summary: 'Stop merging from the queue of a branch for a while',
  examples: [
    'queue pause acme/engine --reason "Release day"',
    'queue pause acme/engine main --for 2h --reason "Broken runner"',
  ],
  fields: {
    repository: repository(),
    branch: optional(branch({ hint: 'Leave empty for the default branch.' })),
    for: flag(duration({ label: 'How long', placeholder: '2h', min: 60, max: month })),
    reason: requireName(text({ label: 'Reason', max: 200 })),
  },
  role: 'maintainer',
  risk: 'write',
  effect: 'idempotent',
  operations: ['repos.get', 'repos.getBranch'],
  needs: ['repos.get', 'repos.getBranch'],
  plan: () => [],
  run: pause,
  reply: ({ base, until }, { repository, reason }, { now }) =>
    message({
      blocks: doneCard({
        says: md`Paused the queue for ${code(base)} of ${fullName(repository)}${until === undefined ? md`` : md` until ${date(new Date(until), now)}`}.`,
        facts: [reason],
        buttons: [runButton({ text: 'Resume', command: 'queue resume', args: { repository, branch: base } })],
      }),
    }),
});

export const queueResume = command({
  name: 'queue resume',
  title: 'Resume merge queue',
  summary: 'Let a paused queue merge again',
  examples: ['queue resume acme/engine', 'queue resume acme/engine main'],
  fields: { repository: repository(), branch: optional(branch({ hint: 'Leave empty for the default branch.' })) },
  role: 'maintainer',
  risk: 'write',
  effect: 'idempotent',
  operations: ['repos.get', 'repos.getBranch'],
  needs: ['repos.get', 'repos.getBranch'],
  plan: () => [],
  run: resume,
  reply: ({ base, still }, { repository }) =>
    message({
      blocks: doneCard({
        says: md`Resumed the queue for ${code(base)} of ${fullName(repository)}.`,
        but: still === undefined ? [] : [still],
      }),
    }),
});
