import { formButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { MessageError } from '../../chat/message-error.js';
import { fullName, type ItemRef, refOf } from '../../chat/references.js';
import { asCode, UserError } from '../../errors.js';
import type { ApiError } from '../../forge/index.js';
import { ifAnswered } from '../../forge/possible.js';
import type { PullRequest } from '../../forge/schemas/pull.js';
import { failureCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { blockedBy } from '../issues/state.js';
import { moved } from './head.js';

interface Tried {
  readonly ref: ItemRef;
  readonly pull: PullRequest | undefined;
  readonly head: string | undefined;
}

/** What the server's refusal means; the refusal itself if its own words must do. */
export async function mergeRefusal(tried: Tried, error: ApiError, context: Context): Promise<Error> {
  if (error.kind === 'conflict') return conflict(tried, error, context);
  // open dependencies are reported as an empty 500
  if (error.status === 500) return blockedBy(tried.ref, context, error, 'merged');
  if (error.status !== 405) return error;
  const { ref, pull } = tried;
  if (/not allowed to merge/i.test(error.serverMessage)) {
    const base = pull?.base?.ref ? `${pull.base.ref} of ${fullName(ref)}` : fullName(ref);
    const words = `You can’t merge ${refOf(ref)}: that needs write access to ${base}. Ask someone who has it.`;
    return new UserError(words, { cause: error });
  }
  if (/enough approvals/i.test(error.serverMessage)) return unapproved(ref, error);
  if (/required status checks/i.test(error.serverMessage)) {
    const words = `${refOf(ref)} can’t be merged yet: not all required checks have passed. Merge it with --when-checks-succeed, or try again later.`;
    return new UserError(words, { cause: error });
  }
  return error;
}

function unapproved(ref: ItemRef, cause: ApiError): MessageError {
  const ask = formButton({ text: 'Request review', command: 'pr review', args: { pull: ref } });
  const says = md`${refOf(ref)} can’t be merged yet: it doesn’t have enough approvals.`;
  return new MessageError(message({ blocks: failureCard({ says, buttons: [ask] }) }), cause);
}

/** One status for two cases: someone pushed, or the branches conflict. */
async function conflict({ ref, pull, head }: Tried, cause: ApiError, { api, forge }: Context): Promise<Error> {
  const present = (await ifAnswered(api.pulls.get(ref)))?.head?.sha;
  if (head && present && present !== head) return moved(ref, head, present, forge.web);
  const base = pull?.base?.ref ? asCode(pull.base.ref) : 'its base branch';
  const said = cause.serverMessage === '' ? '' : ` The forge answered: ${cause.serverMessage}`;
  return new UserError(
    `${refOf(ref)} cannot be merged into ${base} of ${fullName(ref)}: they conflict. Update the branch, or try another --style.${said}`,
    { cause },
  );
}
