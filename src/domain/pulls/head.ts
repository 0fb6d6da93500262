import { runButton } from '../../chat/actions.js';
import { hidden } from '../../chat/fields/hidden.js';
import { text, toggle } from '../../chat/fields/index.js';
import type { Optional } from '../../chat/fields/make.js';
import { MessageError } from '../../chat/message-error.js';
import { type ItemRef, refOf, webAddress } from '../../chat/references.js';
import type { PullRequest } from '../../forge/schemas/pull.js';
import { failureCard } from '../../view/cards/outcome.js';
import { linkButton } from '../../view/elements.js';
import { message } from '../../view/message.js';
import { code, md } from '../../view/text.js';

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
  throw moved(ref, seen, present, web);
}

export function moved(ref: ItemRef, seen: string, present: string, web: string): MessageError {
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
