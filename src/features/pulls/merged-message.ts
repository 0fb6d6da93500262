import { runButton } from '../../chat/actions.js';
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
  /** It is merged once its checks have passed. */
  readonly waits?: boolean;
}

const styleWords: ReadonlyMap<string, string> = new Map([
  ['merge', 'Merge commit'],
  ['rebase', 'Rebased'],
  ['rebase-merge', 'Rebased with a merge commit'],
  ['squash', 'Squashed'],
  ['fast-forward-only', 'Fast-forwarded'],
]);

export function mergedMessage(
  { ref, style, before, after, waits = false }: Merged,
  { deleteBranch = false }: { readonly deleteBranch?: boolean | undefined },
  { forge }: Pick<Context, 'forge'>,
): Message {
  const page = after?.html_url || before?.html_url || webAddress(forge.web, { kind: 'pull', of: ref });
  const subject = link(page, before ? `${refOf(ref)} ${before.title}` : refOf(ref));
  const into = before?.base?.ref ? md` into ${code(before.base.ref)}` : md``;
  const kind = styleWords.get(style) ?? style;
  if (waits) {
    const stop = runButton({ text: 'Stop waiting', command: 'pr cancel-merge', args: { pull: ref } });
    return message({
      blocks: doneCard({
        says: md`${subject} will be merged${into} when its checks pass.`,
        facts: [kind, 'A push, another target branch or a request for changes stops it.'],
        buttons: [stop, openButton(page)],
      }),
    });
  }
  return message({
    blocks: doneCard({
      says: md`Merged ${subject}${into}.${branchEnd(before, after, deleteBranch)}`,
      but: deleteBranch ? branchLeft(before, after) : [],
      facts: [after?.merged_by ? `${kind} by ${after.merged_by.login}` : kind],
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
