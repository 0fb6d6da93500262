import type { Context } from '../../chat/context.js';
import { type ItemRef, refOf } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import { ifAnswered, isAbsent, possible } from '../../forge/possible.js';
import type { PullRequest } from '../../forge/schemas/pull.js';
import { refuseIssue } from '../issues/state.js';

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

/** For one that is no longer open, `what` follows: `its base cannot change`. */
export function refuseClosed(ref: ItemRef, pull: PullRequest | undefined, what: string): void {
  if (pull?.merged) throw new UserError(`${refOf(ref)} is already merged: ${what}.`);
  if (pull?.state === 'closed')
    throw new UserError(`${refOf(ref)} is closed: ${what}. Reopen it with /forge pr reopen ${refOf(ref)}.`);
}
