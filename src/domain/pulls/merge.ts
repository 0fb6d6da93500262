import type { Observation } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { type ItemRef, refOf, webAddress } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import { ifAnswered, soon } from '../../forge/possible.js';
import { doneCard } from '../../view/cards/outcome.js';
import { openButton } from '../../view/elements.js';
import { message } from '../../view/message.js';
import { code, link, md } from '../../view/text.js';
import { boundHead, short } from './head.js';
import { mergeRefusal } from './merge-refused.js';
import { type MergeStyle, type Merging, styles } from './merge-style.js';
import { branchGone, branchLeft } from './merged-branch.js';
import { pullIfKnown, refuseClosed } from './read.js';
import { refuseUnready } from './unready.js';

const isStyle = (text: string | undefined): text is MergeStyle => styles.some((style) => style === text);

async function usualStyle({ owner, repo }: ItemRef, { api }: Context): Promise<MergeStyle> {
  const usual = (await ifAnswered(api.repos.get({ owner, repo })))?.default_merge_style;
  return isStyle(usual) ? usual : 'merge';
}

/** The request, bound to the head that was seen or, if typed, to the current one. */
async function prepareMerge(asked: Merging, context: Context) {
  const { pull: ref, style, title, message, deleteBranch, whenChecksSucceed } = asked;
  const pull = await pullIfKnown(ref, context);
  if (pull?.merged) throw new UserError(`${refOf(ref)} is already merged.`);
  refuseClosed(ref, pull, 'it cannot be merged');
  if (pull?.draft)
    throw new UserError(`${refOf(ref)} is a draft. Mark it as ready first: remove the draft prefix from its title.`);
  const head = boundHead(ref, pull, asked.head, context.forge.web);
  const body = {
    Do: style ?? (await usualStyle(ref, context)),
    ...(head === undefined ? {} : { head_commit_id: head }),
    ...(title === undefined ? {} : { merge_title_field: title }),
    ...(message === undefined ? {} : { merge_message_field: message }),
    ...(deleteBranch ? { delete_branch_after_merge: true } : {}),
    ...(whenChecksSucceed ? { merge_when_checks_succeed: true } : {}),
  };
  return { pull, head, input: { ...ref, body } };
}

export async function merge(asked: Merging, context: Context) {
  const { pull: ref } = asked;
  const { pull, head, input } = await prepareMerge(asked, context);
  await refuseUnready(asked, head, context);
  try {
    await context.api.pulls.merge(input);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // The branch is deleted last: if only that fails, the merge still happened.
    const after = asked.deleteBranch && pull ? await ifAnswered(context.api.pulls.get(ref)) : undefined;
    if (!after?.merged) throw await mergeRefusal({ ref, pull, head }, error, context);
    return { ref, style: input.body.Do, head, before: pull, after };
  }
  return { ref, style: input.body.Do, head, before: pull, after: await soon(context.api.pulls.get(ref)) };
}

export const planMerge = async (args: Merging, context: Context) => [
  request('pulls.merge', (await prepareMerge(args, context)).input),
];

export async function observeMerge(args: Merging, context: Context): Promise<Observation> {
  const { pull, head = '' } = await prepareMerge(args, context);
  await refuseUnready(args, head || undefined, context);
  return {
    bound: { head, base: pull?.base?.ref ?? '' },
    shown: [
      ['Pull request', `${refOf(args.pull)} ${pull?.title ?? ''}`],
      ['Head', short(head)],
      ['Into', pull?.base?.ref ?? ''],
    ],
    authors: pull?.user ? [pull.user.id] : [],
  };
}

export async function findMerged({ pull: ref, style = 'merge', whenChecksSucceed }: Merging, { api }: Context) {
  const after = await api.pulls.get(ref);
  // Nothing shows whether a merge is scheduled for when the checks pass.
  if (!after.merged) return whenChecksSucceed ? 'blind' : undefined;
  return { ref, style, head: after.head?.sha, before: after, after };
}

export function mergedMessage(
  { ref, style, head, before, after }: Awaited<ReturnType<typeof merge>>,
  { whenChecksSucceed, deleteBranch }: Merging,
  { forge }: Context,
) {
  const page = after?.html_url || before?.html_url || webAddress(forge.web, { kind: 'pull', of: ref });
  const subject = link(page, before ? `${refOf(ref)} ${before.title}` : refOf(ref));
  const into = before?.base?.ref ? md` into ${code(before.base.ref)}` : md``;
  // unless it was read as merged, it may still be waiting
  const waits = whenChecksSucceed === true && !after?.merged;
  return message({
    blocks: doneCard({
      says: waits
        ? md`${subject} will be merged${into} when its checks pass.`
        : md`Merged ${subject}${into}.${deleteBranch ? branchGone(before, after) : md``}`,
      but: deleteBranch && !waits ? branchLeft(before, after) : [],
      facts: [after?.merged_by && `by ${after.merged_by.login}`, style, head && md`head ${code(short(head))}`],
      buttons: [openButton(page)],
    }),
  });
}
