import type { Observation } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { type ItemRef, refOf } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { ifAnswered } from '../../forge/possible.js';
import { pullAuthors } from '../authors.js';
import { boundHead, short } from './head.js';
import { type MergeBody, mergeBound } from './merge-bound.js';
import { isStyle, type MergeStyle, type Merging } from './merge-style.js';
import type { Merged } from './merged-message.js';
import { pullIfKnown, refuseClosed } from './read.js';
import { refuseUnready } from './unready.js';
import { startWaiting } from './wait.js';

async function usualStyle({ owner, repo }: ItemRef, { api }: Context): Promise<MergeStyle> {
  const usual = (await ifAnswered(api.repos.get({ owner, repo })))?.default_merge_style;
  return isStyle(usual) ? usual : 'merge';
}

/** The request, bound to the head that was seen or, if typed, to the current one. The same one is sent after waiting. */
async function prepareMerge(asked: Merging, context: Context) {
  const { pull: ref, style, title, message, deleteBranch } = asked;
  const pull = await pullIfKnown(ref, context);
  if (pull?.merged) throw new UserError(`${refOf(ref)} is already merged.`);
  refuseClosed(ref, pull, 'it cannot be merged');
  if (pull?.draft)
    throw new UserError(`${refOf(ref)} is a draft. Mark it as ready first: remove the draft prefix from its title.`);
  const head = boundHead(ref, pull, asked.head, context.forge.web);
  const body: MergeBody = {
    Do: style ?? (await usualStyle(ref, context)),
    ...(head === undefined ? {} : { head_commit_id: head }),
    ...(title === undefined ? {} : { merge_title_field: title }),
    ...(message === undefined ? {} : { merge_message_field: message }),
    // always: some servers otherwise follow the repository's default
    delete_branch_after_merge: deleteBranch === true,
  };
  return { pull, head, input: { ...ref, body } };
}

export async function merge(asked: Merging, context: Context): Promise<Merged> {
  const { pull: ref } = asked;
  const { pull, head, input } = await prepareMerge(asked, context);
  await refuseUnready(asked, pull, head, context);
  const result = { ref, style: input.body.Do, head, before: pull };
  if (asked.whenChecksSucceed) {
    await startWaiting({ ref, pull, body: input.body }, context);
    return { ...result, after: pull, waits: true };
  }
  return { ...result, after: await mergeBound({ ref, pull, body: input.body }, context) };
}

export const planMerge = async (args: Merging, context: Context) => [
  request('pulls.merge', (await prepareMerge(args, context)).input),
];

export async function observeMerge(args: Merging, context: Context): Promise<Observation> {
  const { pull, head = '' } = await prepareMerge(args, context);
  await refuseUnready(args, pull, head || undefined, context);
  const authors = await pullAuthors(args.pull, pull, context);
  return {
    bound: { head, base: pull?.base?.ref ?? '' },
    shown: [
      ['Pull request', `${refOf(args.pull)} ${pull?.title ?? ''}`],
      ['Head', short(head)],
      ['Into', pull?.base?.ref ?? ''],
      ...(args.whenChecksSucceed ? [['When', 'after its checks pass'] as const] : []),
    ],
    authors: authors.users.map(({ id }) => id),
    unsure: authors.unsure,
  };
}

export async function findMerged({ pull: ref, style = 'merge' }: Merging, { api }: Context) {
  const after = await api.pulls.get(ref);
  return after.merged ? { ref, style, head: after.head?.sha, before: after, after } : undefined;
}
