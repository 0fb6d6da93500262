import { formButtonIfFits } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { MessageError } from '../../chat/message-error.js';
import { fullName, type ItemRef, refOf } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import { failureCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';

interface Reply {
  readonly issue: ItemRef;
  readonly body: string;
}

/** A reply may be edited or deleted before anyone decides, so it is not requested: its person can request a comment. */
export function replyStays({ issue, body }: Reply, approvers: string, { slash }: Context): MessageError {
  const request = formButtonIfFits({ text: 'Request comment', command: 'issue comment', args: { issue, body } });
  return new MessageError(
    message({
      blocks: failureCard({
        says: md`Your reply was not posted on ${fullName(issue)}: comments there need approval by ${approvers}.`,
        attempt: request ? undefined : `${slash} issue comment ${refOf(issue)}`,
        buttons: [request],
      }),
    }),
  );
}

/** The comment that a reply became. */
export const commentStays = (_args: unknown, approvers: string): UserError =>
  new UserError(
    `This change needs approval by ${approvers}, and a reply can’t wait for it. Its comment stays on the forge as it is.`,
  );
