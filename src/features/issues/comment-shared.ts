import { formButton } from '../../chat/actions.js';
import type { Sent } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { type ItemRef, refOf } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { ApiError, scopesAskedBy } from '../../forge/index.js';
import { ifAnswered, possible } from '../../forge/possible.js';
import type { Issue } from '../../forge/schemas.js';
import { doneCard } from '../../view/cards/outcome.js';
import { openButton } from '../../view/elements.js';
import { message } from '../../view/message.js';
import { link, md } from '../../view/text.js';
import { firstOf, isMine, isNew, sameText } from '../find.js';

interface NewComment {
  readonly issue: ItemRef;
  readonly body: string;
}

export const planComment = ({ issue, body }: NewComment) => [request('issues.comment', { ...issue, body: { body } })];

export async function postComment({ issue, body }: NewComment, { api }: Context) {
  // The forge answers a comment on a missing item with an empty 500.
  const item = await possible(api.issues.get(issue));
  return { item, comment: await api.issues.comment({ ...issue, body: { body } }).catch(orLocked(issue, item)) };
}

/** The server's own words for a locked item depend on the account's language. */
export const orLocked =
  (issue: ItemRef, item: Issue | undefined) =>
  (error: unknown): never => {
    if (!(error instanceof ApiError) || error.kind !== 'forbidden' || !item?.is_locked || scopesAskedBy(error))
      throw error;
    throw new UserError(
      `${refOf(issue)} is locked: only people with write access can comment. Ask one of them to unlock it.`,
      { cause: error },
    );
  };

export async function findComment({ issue, body }: NewComment, context: Context, sent: Sent) {
  const since = sent.since.toISOString();
  const items = context.api.issues.listComments.each({ ...issue, query: { since } }, { max: 500 });
  const comment = await firstOf(
    items,
    (each) => isMine(each.user, context) && isNew(each.created_at, sent) && sameText(each.body, body),
  );
  return comment && { item: await ifAnswered(context.api.issues.get(issue)), comment };
}

export function commentedMessage(
  { item, comment }: Awaited<ReturnType<typeof postComment>>,
  { issue: ref }: NewComment,
) {
  const on = item ? `${refOf(ref)} ${item.title}` : refOf(ref);
  return message({
    blocks: doneCard({
      says: md`Commented on ${link(comment.html_url, on)}.`,
      buttons: [
        formButton({ text: 'Comment again', command: 'issue comment', args: { issue: ref } }),
        openButton(comment.html_url),
      ],
    }),
  });
}
