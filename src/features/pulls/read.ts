import { runButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { hidden, type Optional, text, toggle } from '../../chat/fields.js';
import { MessageError } from '../../chat/message-error.js';
import { type ItemRef, refOf, webAddress } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import { ifAnswered, isAbsent, possible } from '../../forge/possible.js';
import type { PullRequest } from '../../forge/schemas.js';
import { splitFullName } from '../../full-name.js';
import { failureCard } from '../../view/cards/outcome.js';
import { linkButton } from '../../view/elements.js';
import { message } from '../../view/message.js';
import { code, md } from '../../view/text.js';
import { refuseIssue } from '../issues/close.js';

/** Issues and pull requests share numbers: an issue's number gets an answer that says so. */
export async function readPull(ref: ItemRef, { api }: Context): Promise<PullRequest> {
  try {
    return await api.pulls.get(ref);
  } catch (error) {
    if (!isAbsent(error)) throw error;
    const item = await ifAnswered(api.issues.get(ref));
    if (item) refuseIssue(ref, item);
    throw error;
  }
}

/** Undefined if this server cannot show one. */
export const pullIfKnown = (ref: ItemRef, context: Context) => possible(readPull(ref, context));

/** Under the name its repository has now: the forge follows a former one, settings do not. */
export const presentRef = (ref: ItemRef, pull: PullRequest | undefined): ItemRef => ({
  ...ref,
  ...(pull?.base?.repo && splitFullName(pull.base.repo.full_name)),
});

/** For one that is no longer open, `what` follows: `its base cannot change`. */
export function refuseClosed(ref: ItemRef, pull: PullRequest | undefined, what: string): void {
  if (pull?.merged) throw new UserError(`${refOf(ref)} is already merged: ${what}.`);
  if (pull?.state === 'closed')
    throw new UserError(`${refOf(ref)} is closed: ${what}. Reopen it with /forge pr reopen ${refOf(ref)}.`);
}

/** The commit the person saw; buttons and forms carry it. */
export function head(): Optional<string> {
  return hidden(text({ label: 'Head', min: 7, max: 64 }));
}

/** Along with the line comments of an unfinished review. */
export const publish = (): Optional<boolean> => hidden(toggle({ label: 'Publish' }));

export const short = (sha: string) => sha.slice(0, 10);

/** The head a decision is bound to: the one seen, or the current one. Refused if it moved in between. */
export function boundHead(
  ref: ItemRef,
  pull: PullRequest | undefined,
  seen: string | undefined,
  web: string,
): string | undefined {
  const present = pull?.head?.sha || undefined;
  if (seen === undefined || present === undefined) return present ?? seen;
  if (present.toLowerCase().startsWith(seen.toLowerCase())) return present;
  throw refuseMovedHead(ref, seen, present, web);
}

export function refuseMovedHead(ref: ItemRef, seen: string, present: string, web: string): MessageError {
  const files = `${webAddress(web, { kind: 'pull', of: ref })}/files`;
  return new MessageError(
    message({
      blocks: failureCard({
        says: md`${refOf(ref)} has new commits: you saw ${code(short(seen))}, it is now at ${code(short(present))}. Nothing was changed.`,
        next: 'Review the new commits, then try again.',
        buttons: [
          runButton({ text: 'Show pull request', command: 'pr show', args: { pull: ref } }),
          linkButton('View files', files),
        ],
      }),
    }),
  );
}
