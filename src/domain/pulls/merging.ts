import type { Context } from '../../chat/context.js';
import { type ItemRef, refOf } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import { ifTold, soon } from '../../forge/possible.js';
import { boundHead } from './head.js';
import { mergeRefusal } from './merge-refused.js';
import { type MergeStyle, type Merging, styles } from './merge-style.js';
import { pullIfKnown, refuseClosed } from './read.js';
import { refuseUnready } from './unready.js';

const isStyle = (text: string | undefined): text is MergeStyle => styles.some((style) => style === text);

async function usualStyle({ owner, repo }: ItemRef, { api }: Context): Promise<MergeStyle> {
  const usual = (await ifTold(api.repos.get({ owner, repo })))?.default_merge_style;
  return isStyle(usual) ? usual : 'merge';
}

/** The request, bound to the head that was seen or, typed, to the one there is now. */
export async function prepareMerge(asked: Merging, context: Context) {
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
    // The branch is deleted last: where only that is refused, it is merged all the same.
    const after = asked.deleteBranch && pull ? await ifTold(context.api.pulls.get(ref)) : undefined;
    if (!after?.merged) throw await mergeRefusal({ ref, pull, head }, error, context);
    return { ref, style: input.body.Do, head, before: pull, after };
  }
  return { ref, style: input.body.Do, head, before: pull, after: await soon(context.api.pulls.get(ref)) };
}
