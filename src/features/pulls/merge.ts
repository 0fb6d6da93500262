import { command, type Observation } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { body, choice, flag, pull, text, toggle } from '../../chat/fields.js';
import { fullName, type ItemRef, refOf } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { mergeStyles, queueSettings } from '../../config.js';
import { UserError } from '../../errors.js';
import { ifAnswered } from '../../forge/possible.js';
import type { PullRequest } from '../../forge/schemas.js';
import { pullAuthors } from '../authors.js';
import { admitToQueue, enqueue, type Queued, queuedMessage } from '../queue/entry.js';
import { type MergeBody, mergeBound } from './merge-bound.js';
import { isStyle, type MergeStyle, type Merging } from './merge-style.js';
import { type Merged, mergedMessage } from './merged-message.js';
import { boundHead, head, presentRef, pullIfKnown, refuseClosed, short } from './read.js';
import { refuseUnready } from './unready.js';

/** What the pull request says of its repository is as good as asking for it. */
async function usualStyle(
  { owner, repo }: ItemRef,
  pull: PullRequest | undefined,
  { api }: Context,
): Promise<MergeStyle> {
  const told = pull?.base?.repo?.default_merge_style;
  const usual = told || (await ifAnswered(api.repos.get({ owner, repo })))?.default_merge_style;
  return isStyle(usual) ? usual : 'merge';
}

/** The request, bound to the head that was seen or, if typed, to the current one. The queue sends the same one later. */
export async function prepareMerge(asked: Merging, context: Context) {
  const { pull: ref, style, title, message, deleteBranch } = asked;
  const pull = await pullIfKnown(ref, context);
  if (pull?.merged) throw new UserError(`${refOf(ref)} is already merged.`);
  refuseClosed(ref, pull, 'it cannot be merged');
  if (pull?.draft)
    throw new UserError(`${refOf(ref)} is a draft. Mark it as ready first: remove the draft prefix from its title.`);
  const head = boundHead(ref, pull, asked.head, context.forge.web);
  const queued = asked.whenChecksSucceed
    ? queueSettings(context.policy.queues, fullName(presentRef(ref, pull)), pull?.base?.ref ?? '').style
    : undefined;
  const body: MergeBody = {
    Do: style ?? queued ?? (await usualStyle(ref, pull, context)),
    ...(head === undefined ? {} : { head_commit_id: head }),
    ...(title === undefined ? {} : { merge_title_field: title }),
    ...(message === undefined ? {} : { merge_message_field: message }),
    // always: some servers otherwise follow the repository's default
    delete_branch_after_merge: deleteBranch === true,
  };
  return { pull, head, input: { ...ref, body } };
}

async function merge(asked: Merging, context: Context): Promise<Merged | Queued> {
  const { pull: ref } = asked;
  const { pull, head, input } = await prepareMerge(asked, context);
  if (asked.whenChecksSucceed) {
    const found = await admitToQueue(asked, pull, head, context);
    return enqueue({ ref, pull, body: input.body, found }, context);
  }
  await refuseUnready(asked, pull, head, context);
  const after = await mergeBound({ ref, pull, body: input.body }, context);
  return { ref, style: input.body.Do, before: pull, after };
}

const planMerge = async (args: Merging, context: Context) => [
  request('pulls.merge', (await prepareMerge(args, context)).input),
];

export const inTurn = 'in turn, after its checks pass';

/** What must not change until it is approved, and what is shown of it. */
export async function observePull(
  ref: ItemRef,
  pull: PullRequest | undefined,
  head = '',
  when: string | undefined,
  context: Context,
): Promise<Observation> {
  const authors = await pullAuthors(ref, pull, context);
  return {
    bound: { head, base: pull?.base?.ref ?? '' },
    shown: [
      ['Pull request', `${refOf(ref)} ${pull?.title ?? ''}`],
      ['Head', short(head)],
      ['Into', pull?.base?.ref ?? ''],
      ...(when === undefined ? [] : [['When', when] as const]),
    ],
    authors: authors.users.map(({ id }) => id),
    unsure: authors.unsure,
  };
}

async function observeMerge(args: Merging, context: Context): Promise<Observation> {
  const { pull, head } = await prepareMerge(args, context);
  if (args.whenChecksSucceed) {
    await admitToQueue(args, pull, head, context);
    return observePull(args.pull, pull, head, inTurn, context);
  }
  await refuseUnready(args, pull, head, context);
  return observePull(args.pull, pull, head, undefined, context);
}

async function findMerged({ pull: ref, style = 'merge', whenChecksSucceed }: Merging, { api, store, job }: Context) {
  if (whenChecksSucceed)
    return (
      (await store.queues.list())
        .flatMap((queue) => queue.entries.map((entry) => ({ queue, entry })))
        .find(({ entry }) => entry.key === job) ?? ('unknowable' as const)
    );
  const after = await api.pulls.get(ref);
  return after.merged ? { ref, style, before: after, after } : undefined;
}

export const prMerge = command({
  name: 'pr merge',
  aliases: ['merge'],
  summary: 'Merge a pull request (refuses if new commits arrived)',
  examples: ['pr merge acme/engine#5', 'pr merge #5 --style squash --delete-branch', 'pr merge #5 --queue'],
  fields: {
    pull: pull(),
    style: flag(choice(mergeStyles, { label: 'Style', hint: 'Leave empty for the repository’s default.' })),
    title: flag(text({ label: 'Commit title' })),
    message: flag(body({ label: 'Commit message' })),
    deleteBranch: toggle({ label: 'Delete branch after merging' }),
    whenChecksSucceed: toggle({ label: 'Merge when checks pass', text: 'Adds it to the merge queue', also: 'queue' }),
    yes: toggle({ label: 'Merge anyway', text: 'Even if checks failed or changes were requested' }),
    head: head(),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'once',
  operations: [
    'pulls.merge',
    'pulls.get',
    'pulls.listFiles',
    'pulls.listReviews',
    'repos.commitStatus',
    'repos.createStatus',
    'repos.get',
    'repos.getBranch',
    'runs.list',
    'issues.get',
    'issues.listDependencies',
    'issues.timeline',
    'repos.listCommits',
    'users.get',
    'users.search',
  ],
  needs: ['pulls.merge'],
  approval: {
    ruledAs: ({ whenChecksSucceed }) => (whenChecksSucceed ? 'queue' : undefined),
    branches: async ({ pull }, context) => [(await pullIfKnown(pull, context))?.base?.ref],
    observe: observeMerge,
  },
  plan: planMerge,
  run: merge,
  findDone: findMerged,
  reply: (done, args, context) =>
    'entry' in done ? queuedMessage(done, args.pull, context) : mergedMessage(done, args, context),
});
