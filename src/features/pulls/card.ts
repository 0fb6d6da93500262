import { formButton, type MenuEntry, moreMenu, runButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { fullName, type ItemRef } from '../../chat/references.js';
import type { PullRequest } from '../../forge/schemas.js';
import { pullCard, type ReviewLike } from '../../view/cards/pull.js';
import { openButton } from '../../view/elements.js';
import type { Look } from '../../view/look.js';
import { type Message, message } from '../../view/message.js';

/** Every action carries the head it is about. */
function controls(
  pull: PullRequest,
  { ref, follow }: Pick<PullCard, 'ref' | 'follow'>,
  login: string,
): Pick<Look, 'buttons' | 'menu'> {
  const page = openButton(pull.html_url);
  const args = { pull: ref };
  if (pull.merged) return { buttons: [page] };
  if (pull.state === 'closed') return { buttons: [runButton({ text: 'Reopen', command: 'pr reopen', args }), page] };
  const decided = pull.head?.sha ? { pull: ref, head: pull.head.sha } : args;
  // The forge lets nobody review their own pull request.
  const mine = pull.user?.login === login;
  return {
    buttons: [
      mine ? undefined : runButton({ text: 'Approve', command: 'pr approve', args: decided, style: 'primary' }),
      mine ? undefined : formButton({ text: 'Review', command: 'pr diff', args: decided }),
      formButton({ text: 'Merge', command: 'pr merge', args: decided }),
    ],
    menu: moreMenu([
      { text: 'Request review…', command: 'pr review', args, form: true },
      { text: 'Comment…', command: 'issue comment', args: { issue: ref }, form: true },
      follow ?? { text: 'Edit…', command: 'pr edit', args, form: true },
      { text: 'Close', command: 'pr close', args },
      { text: 'Add to queue', command: 'queue', args: decided },
    ]),
  };
}

interface PullCard extends Pick<Look, 'says' | 'notes' | 'style'> {
  readonly ref: ItemRef;
  /** To follow it here, or to stop. */
  readonly follow?: MenuEntry | undefined;
  readonly reviews?: readonly ReviewLike[];
}

export function pullMessage(
  pull: PullRequest,
  { ref, follow, reviews, ...look }: PullCard,
  { now, login }: Context,
): Message {
  const base = { ref: pull.base?.ref ?? '', repo: { full_name: fullName(ref) } };
  const blocks = pullCard(
    { ...pull, base },
    { now, style: 'card', ...look, ...controls(pull, { ref, follow }, login) },
    reviews,
  );
  return message({ blocks });
}
