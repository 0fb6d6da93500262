import { setTimeout as pause } from 'node:timers/promises';
import { formButton, runButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { MessageError } from '../../chat/message-error.js';
import { fullName, type ItemRef, refOf } from '../../chat/references.js';
import { asCode, UserError } from '../../errors.js';
import { ApiError, isLost } from '../../forge/index.js';
import { ifAnswered, soon } from '../../forge/possible.js';
import type { Branch, PullRequest } from '../../forge/schemas.js';
import { failureCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { blockedBy } from '../issues/close.js';
import type { MergeStyle } from './merge-style.js';
import { refuseClosed, refuseMovedHead } from './read.js';

/** The whole request: nothing is left to a default of the repository. */
export interface MergeBody {
  readonly Do: MergeStyle;
  readonly head_commit_id?: string;
  readonly delete_branch_after_merge: boolean;
  readonly merge_title_field?: string;
  readonly merge_message_field?: string;
}

interface Tried {
  readonly ref: ItemRef;
  /** As it was before. */
  readonly pull: PullRequest | undefined;
  readonly body: MergeBody;
}

/** How long the forge may take to check for conflicts before they count as real. */
const checkingMs = [500, 1_000, 1_500, 2_000, 2_500, 2_500] as const;
/** Two merges into one branch at the same time: the loser tries once more. */
const racedMs = 1_000;

/** Merges exactly that head; whatever the forge answered, the pull request read afterwards decides. Throws why not. */
export async function mergeBound(tried: Tried, context: Context): Promise<PullRequest | undefined> {
  const { ref, body } = tried;
  const { api } = context;
  for (let again = false; ; again = true) {
    try {
      await api.pulls.merge({ ...ref, body });
      return await soon(api.pulls.get(ref));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const after = await readSettled(tried, error, context);
      if (after?.merged) return mergedAnyway(tried, after, context);
      if (after && !again && (await isWorthAnother(error, tried, context))) continue;
      // without an answer it is looked up again later
      if (isLost(error) && error.status !== 500) throw error;
      throw await refusal(tried, error, after, context);
    }
  }
}

/** The pull request now. An answer without words may be that of a second merge, whose first is not over yet. */
async function readSettled({ ref }: Tried, error: ApiError, { api }: Context): Promise<PullRequest | undefined> {
  const now = await ifAnswered(api.pulls.get(ref));
  const isMute = error.serverMessage === '' && (error.status === 500 || error.status === 409);
  if (!isMute || now?.merged) return now;
  await pause(racedMs);
  return (await ifAnswered(api.pulls.get(ref))) ?? now;
}

/** Some servers refuse to delete the branch after merging, or answer the loser of two at once with an error. */
function mergedAnyway({ ref, body }: Tried, after: PullRequest, { login }: Context): PullRequest {
  const head = body.head_commit_id;
  const isOurs = after.merged_by?.login === login && (head === undefined || after.head?.sha === head);
  if (isOurs) return after;
  const who = after.merged_by ? ` by ${after.merged_by.login}` : '';
  throw new UserError(`${refOf(ref)} was just merged${who}. You don’t need to do anything.`);
}

/** The forge was only checking for conflicts, or another merge was under way. */
async function isWorthAnother(error: ApiError, { ref }: Tried, { api }: Context): Promise<boolean> {
  const isRaced = error.status === 409 && /cannot lock ref/i.test(error.serverMessage);
  const isChecking = error.status === 405 && /try again later/i.test(error.serverMessage);
  if (!isRaced && !isChecking) return false;
  if (isRaced) await pause(racedMs);
  for (const ms of checkingMs) {
    const pull = await ifAnswered(api.pulls.get(ref));
    if (pull?.mergeable) return true;
    if (pull?.draft || pull?.state !== 'open') return false;
    await pause(ms);
  }
  return false;
}

/** Forgejo wraps the reason that Gitea gives plainly. */
const reasonIn = ({ serverMessage }: ApiError): string =>
  /^not allowed to merge \[reason: (.*)\]$/i.exec(serverMessage)?.[1] ?? serverMessage;

type Words = (base: string, tried: Tried) => string;

/** What each of the forge's reasons means; follows “#12 can’t be merged: ”. */
const reasons: readonly (readonly [RegExp, Words])[] = [
  [/required status checks/i, () => 'not all required checks have passed. Add it to the queue, or try again later.'],
  [/requested changes/i, () => 'a reviewer requested changes. Address them, or ask the reviewer to approve.'],
  [
    /official review requests/i,
    () => 'a requested review is still missing. Ask the reviewer, or withdraw the request.',
  ],
  [/behind the base branch/i, (base) => `its branch is behind ${base}. Add it to the queue, or update the branch.`],
  [/code owner reviews/i, () => 'it still needs a code owner’s approval.'],
  [/protected files/i, (base) => `it changes files that ${base} protects. Ask a repository admin to merge it.`],
  [/won'?t sign|requires signed commits/i, (base) => `${base} only accepts signed commits. Ask a repository admin.`],
  [/merge style for this repository/i, styleOff],
  [/work in progress/i, () => 'it is a draft. Remove the draft prefix from its title first.'],
  [/try again later/i, (base) => `it conflicts with ${base}. Resolve the conflicts in its branch, then try again.`],
];

function styleOff(_base: string, { ref, body }: Tried): string {
  return `${fullName(ref)} does not allow ${asCode(body.Do)}. Choose another --style.`;
}

/** What the server's refusal means; the refusal itself if its own words must do. */
async function refusal(
  tried: Tried,
  error: ApiError,
  after: PullRequest | undefined,
  context: Context,
): Promise<Error> {
  const { ref, body } = tried;
  const pull = after ?? tried.pull;
  const base = pull?.base?.ref ? asCode(pull.base.ref) : 'its base branch';
  const no = (why: string) => new UserError(`${refOf(ref)} can’t be merged: ${why}`, { cause: error });
  // the forge closes it a moment later
  if (after?.head?.ref.startsWith('refs/pull/'))
    return no('its branch was deleted. Restore the branch, then try again.');
  if (after) refuseClosed(ref, after, 'it cannot be merged');
  const present = after?.head?.sha;
  if (body.head_commit_id && present && present !== body.head_commit_id)
    return refuseMovedHead(ref, body.head_commit_id, present, context.forge.web);
  if (error.status === 500) return brokenOff(tried, error, after, context);
  const reason = reasonIn(error);
  if (error.status === 409) return no(conflictWords(base, tried, reason));
  if (error.status !== 405) return error;
  if (/user not allowed to merge/i.test(reason))
    return mayNotMerge(ref, pull, await rulesOf(ref, pull, context), context);
  if (/enough approvals/i.test(reason)) return refuseUnapproved(ref, error);
  const words = reasons.find(([pattern]) => pattern.test(reason))?.[1];
  if (!words) return error;
  return isQueueable.test(reason) ? offerQueue(tried, no(words(base, tried)).message, error) : no(words(base, tried));
}

/** One status for several cases; without a message it is a conflict that git found. */
function conflictWords(base: string, { body }: Tried, reason: string): string {
  if (/cannot lock ref/i.test(reason)) return `another merge into ${base} was under way. Try again.`;
  if (/head out of date/i.test(reason)) return 'new commits arrived since you saw it. Review them, then try again.';
  if (/^pushrejected/i.test(reason)) return `a rule or hook of the forge rejected the push: ${reason.slice(0, 200)}`;
  if (body.Do.startsWith('rebase'))
    return `its commits conflict with ${base} one by one. Use --style merge or squash, or rebase the branch yourself.`;
  const said = reason === '' ? '' : ` The forge answered: ${reason}`;
  return `it conflicts with ${base}. Resolve the conflicts in its branch, then try again.${said}`;
}

/** Several states are reported as a server error without a message. */
async function brokenOff(
  { ref, body }: Tried,
  error: ApiError,
  after: PullRequest | undefined,
  context: Context,
): Promise<Error> {
  const isBehind = after !== undefined && after.merge_base !== '' && after.merge_base !== after.base?.sha;
  if (body.Do === 'fast-forward-only' && isBehind) {
    const base = asCode(after.base?.ref ?? '');
    const words = `${refOf(ref)} can’t be fast-forwarded: its branch is behind ${base}. Rebase the branch, or choose another --style.`;
    return new UserError(words, { cause: error });
  }
  return blockedBy(ref, context, error, 'merged');
}

/** The queue waits for checks and updates the branch. */
const isQueueable = /required status checks|behind the base branch/i;

function offerQueue({ ref, body }: Tried, says: string, cause: ApiError): MessageError {
  const { head_commit_id: head, Do: style, delete_branch_after_merge: deleteBranch } = body;
  const args = { pull: ref, style, ...(deleteBranch && { deleteBranch }), ...(head !== undefined && { head }) };
  const add = runButton({ text: 'Add to queue', command: 'queue', args });
  return new MessageError(message({ blocks: failureCard({ says, buttons: [add] }) }), cause);
}

export function refuseUnapproved(
  ref: ItemRef,
  cause?: ApiError,
  says = `${refOf(ref)} can’t be merged yet: it doesn’t have enough approvals.`,
): MessageError {
  const ask = formButton({ text: 'Request review', command: 'pr review', args: { pull: ref } });
  return new MessageError(message({ blocks: failureCard({ says, buttons: [ask] }) }), cause);
}

/** What the branch demands of a merge by this person; undefined if that cannot be read. */
export const rulesOf = async (
  { owner, repo }: ItemRef,
  pull: PullRequest | undefined,
  { api }: Pick<Context, 'api'>,
): Promise<Branch | undefined> =>
  pull?.base?.ref ? ifAnswered(api.repos.getBranch({ owner, repo, branch: pull.base.ref })) : undefined;

/** Someone who may write may still not be on the list of those who merge. */
export async function mayNotMerge(
  ref: ItemRef,
  pull: PullRequest | undefined,
  rules: Branch | undefined,
  { api }: Pick<Context, 'api'>,
): Promise<UserError> {
  const { owner, repo } = ref;
  const base = pull?.base?.ref ? `${pull.base.ref} of ${fullName(ref)}` : fullName(ref);
  const writes = rules?.protected && (await ifAnswered(api.repos.get({ owner, repo })))?.permissions?.push;
  return new UserError(
    writes
      ? `You can’t merge ${refOf(ref)}: you’re not on the list of people who may merge into ${base}. Ask one of them, or a repository admin.`
      : `You can’t merge ${refOf(ref)}: that needs write access to ${base}. Ask someone who has it.`,
  );
}
