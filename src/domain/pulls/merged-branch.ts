import type { PullRequest } from '../../forge/schemas/pull.js';
import { code, type Mrkdwn, md } from '../../view/text.js';

type Seen = PullRequest | undefined;

const nameOf = (pull: Seen) => pull?.head?.label || pull?.head?.ref || '';

/** A head without its branch is shown by the pull request's own ref. */
const isGone = ({ head }: PullRequest) => head?.ref.startsWith('refs/pull/') === true;

/** Follows what was merged. */
export function branchGone(before: Seen, after: Seen): Mrkdwn {
  return after && isGone(after) ? md` Deleted the branch ${code(nameOf(before ?? after))}.` : md``;
}

/** What was asked for and did not happen. */
export function branchLeft(before: Seen, after: Seen): Mrkdwn[] {
  if (!after) return [md`Could not check whether its branch was deleted. See it on the forge.`];
  if (isGone(after)) return [];
  const why = 'it may be protected, or another pull request uses it';
  return [md`The branch ${code(nameOf(before ?? after))} was not deleted: ${why}. Delete it on the forge.`];
}
