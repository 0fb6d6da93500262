import type { PullRequest } from '../../forge/schemas/pull.js';
import { code, type Mrkdwn, md } from '../../view/text.js';

type Seen = PullRequest | undefined;

const nameOf = (pull: Seen) => pull?.head?.label || pull?.head?.ref || '';

/** After its branch is deleted, the head is the pull request's own ref. */
const isGone = ({ head }: PullRequest) => head?.ref.startsWith('refs/pull/') === true;

/** Appended to the merge message. */
export function branchGone(before: Seen, after: Seen): Mrkdwn {
  return after && isGone(after) ? md` Deleted the branch ${code(nameOf(before ?? after))}.` : md``;
}

/** Requested, but it did not happen. */
export function branchLeft(before: Seen, after: Seen): Mrkdwn[] {
  if (!after) return [md`Could not check whether its branch was deleted. See it on the forge.`];
  if (isGone(after)) return [];
  const why = 'it may be protected, or another pull request uses it';
  return [md`The branch ${code(nameOf(before ?? after))} was not deleted: ${why}. Delete it on the forge.`];
}
