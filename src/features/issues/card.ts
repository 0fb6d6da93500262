import { type CommandButton, formButton, type MenuEntry, moreMenu, openEntry, runButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { fullName, type ItemRef } from '../../chat/references.js';
import type { KnownRepository } from '../../chat/repo-ids.js';
import type { Issue, PullRequest } from '../../forge/schemas.js';
import { type IssueLike, issueCard } from '../../view/cards/issue.js';
import { openButton } from '../../view/elements.js';
import type { Look } from '../../view/look.js';
import { type Message, message } from '../../view/message.js';

/** Late first, then by due date, then the oldest. `moreAt`: when else it is due. */
export function byUrgency(moreAt: (item: Issue) => number | undefined = () => undefined) {
  const due = (item: Issue) => {
    const at = item.due_date?.getTime() ?? Number.MAX_SAFE_INTEGER;
    return Math.min(at, moreAt(item) ?? at);
  };
  return (one: Issue, other: Issue): number =>
    due(one) - due(other) || (one.created_at?.getTime() ?? 0) - (other.created_at?.getTime() ?? 0);
}

/** A pull request in the shape of a list entry. */
export function asItem(pull: PullRequest): IssueLike {
  const { merged, draft, state = 'open' } = pull;
  return { ...pull, state, pull_request: { merged, draft } };
}

export const isPull = ({ pull_request }: IssueLike) => pull_request !== undefined && pull_request !== null;

/** The repository of a search result; undefined if the server does not say. */
export function refIn({ repository, number }: Issue): (ItemRef & KnownRepository) | undefined {
  return repository && { owner: repository.owner, repo: repository.name, repoId: repository.id, index: number };
}

function toggle(item: IssueLike, ref: ItemRef): CommandButton {
  const open = item.state === 'open';
  const text = open ? 'Close' : 'Reopen';
  return isPull(item)
    ? { text, command: open ? 'pr close' : 'pr reopen', args: { pull: ref } }
    : { text, command: open ? 'issue close' : 'issue reopen', args: { issue: ref } };
}

/** The likely ones as buttons, the rest in a menu. */
function controls(item: IssueLike, ref: ItemRef, follow: MenuEntry | undefined): Pick<Look, 'buttons' | 'menu'> {
  const page = openButton(item.html_url);
  const merged = item.pull_request?.merged === true;
  if (isPull(item)) {
    const show = runButton({ text: 'Show', command: 'pr show', args: { pull: ref } });
    return { buttons: [show, merged ? undefined : runButton(toggle(item, ref)), page] };
  }
  const args = { issue: ref };
  return {
    buttons: [formButton({ text: 'Comment', command: 'issue comment', args }), runButton(toggle(item, ref))],
    menu: moreMenu([
      { text: 'Edit…', command: 'issue edit', args, form: true },
      { text: 'Assign…', command: 'issue assign', args, form: true },
      { text: 'Due date…', command: 'issue due', args, form: true },
      follow ?? { text: 'Log time…', command: 'issue log-time', args, form: true },
      openEntry(item.html_url),
    ]),
  };
}

interface IssueCard extends Pick<Look, 'says' | 'notes' | 'style'> {
  readonly ref: ItemRef;
  /** To follow it here, or to stop. */
  readonly follow?: MenuEntry | undefined;
}

/** An issue or pull request, after a change or as it is. */
export function itemMessage(item: IssueLike, { ref, follow, ...look }: IssueCard, { now }: Context): Message {
  const shown = { ...item, repository: { full_name: fullName(ref) } };
  return message({ blocks: issueCard(shown, { now, style: 'card', ...look, ...controls(item, ref, follow) }) });
}

/** A row of a list, with the most common actions in its menu. */
export function itemRow(item: Issue, look: Pick<Look, 'now' | 'notes'>) {
  const ref = refIn(item);
  if (!ref) return issueCard(item, { ...look, style: 'row' });
  const menu = moreMenu([
    isPull(item)
      ? { text: 'Show', command: 'pr show', args: { pull: ref } }
      : { text: 'Show', command: 'issue show', args: { issue: ref } },
    { text: 'Comment…', command: 'issue comment', args: { issue: ref }, form: true },
    toggle(item, ref),
    openEntry(item.html_url),
  ]);
  return issueCard(item, { ...look, style: 'row', menu });
}
