import type { Context } from '../../chat/context.js';
import { type ItemRef, refOf, webAddress } from '../../chat/references.js';
import type { PullRequest } from '../../forge/schemas.js';
import { doneCard } from '../../view/cards/outcome.js';
import { openButton } from '../../view/elements.js';
import { type Message, message } from '../../view/message.js';
import { code, link, type Mrkdwn, md } from '../../view/text.js';

export interface Merged {
  readonly ref: ItemRef;
  readonly style: string;
  readonly before: PullRequest | undefined;
  readonly after: PullRequest | undefined;
  /** The queue's own: what was tested. */
  readonly tested?: string;
}

const styleWords: ReadonlyMap<string, string> = new Map([
  ['merge', 'Merge commit'],
  ['rebase', 'Rebased'],
  ['rebase-merge', 'Rebased with a merge commit'],
  ['squash', 'Squashed'],
  ['fast-forward-only', 'Fast-forwarded'],
]);

export function mergedMessage(
  { ref, style, before, after, tested }: Merged,
  { deleteBranch = false }: { readonly deleteBranch?: boolean | undefined },
  { forge }: Pick<Context, 'forge'>,
): Message {
  const page = after?.html_url || before?.html_url || webAddress(forge.web, { kind: 'pull', of: ref });
  const subject = link(page, before ? `${refOf(ref)} ${before.title}` : refOf(ref));
  const into = before?.base?.ref ? md` into ${code(before.base.ref)}` : md``;
  const kind = styleWords.get(style) ?? style;
  return message({
    blocks: doneCard({
      says: md`Merged ${subject}${into}.${branchEnd(before, after, deleteBranch)}`,
      but: deleteBranch ? branchLeft(before, after) : [],
      facts: [after?.merged_by ? `${kind} by ${after.merged_by.login}` : kind, tested],
      buttons: [openButton(page)],
    }),
  });
}

type Seen = PullRequest | undefined;

const nameOf = (pull: Seen) => pull?.head?.label || pull?.head?.ref || '';

/** After its branch is deleted, the head is the pull request's own ref. */
const isGone = ({ head }: PullRequest) => head?.ref.startsWith('refs/pull/') === true;

/** What became of the branch, by this merge or by the repository's own default. */
function branchEnd(before: Seen, after: Seen, asked: boolean): Mrkdwn {
  if (after && isGone(after)) return md` Deleted the branch ${code(nameOf(before ?? after))}.`;
  const name = nameOf(before ?? after);
  return asked || name === '' ? md`` : md` Kept the branch ${code(name)}.`;
}

/** Requested, but it did not happen. */
function branchLeft(before: Seen, after: Seen): Mrkdwn[] {
  if (!after) return [md`Could not check whether its branch was deleted. See it on the forge.`];
  if (isGone(after)) return [];
  const why = 'it may be protected, or another pull request uses it';
  return [md`The branch ${code(nameOf(before ?? after))} was not deleted: ${why}. Delete it on the forge.`];
}
