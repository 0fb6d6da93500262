import { runButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import type { ItemRef } from '../../chat/references.js';
import { type Request, request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import type { Issue } from '../../forge/schemas/issue.js';
import { linkButton } from '../../view/elements.js';
import { issueCard } from '../../view/cards/issue.js';
import { type Message, message } from '../../view/message.js';
import { md } from '../../view/text.js';

type State = 'open' | 'closed';

export interface StateChange {
  readonly issue: Issue;
  readonly ref: ItemRef;
  readonly state: State;
}

const edit = (ref: ItemRef, state: State) => request('issues.edit', { ...ref, body: { state } });

export const planState = (ref: ItemRef, state: State): readonly Request[] => [edit(ref, state)];

/** Closing what open issues block says which ones; changing back stays possible for a while. */
export async function changeState(ref: ItemRef, state: State, context: Context): Promise<StateChange> {
  try {
    const issue = await context.api.issues.edit({ ...ref, body: { state } });
    const back = state === 'closed' ? 'open' : 'closed';
    context.offerUndo({
      says: `${back === 'open' ? 'Reopened' : 'Closed'} ${ref.owner}/${ref.repo}#${ref.index} again.`,
      request: edit(ref, back),
      guard: { request: request('issues.get', ref), expect: { state } },
    });
    return { issue, ref, state };
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'blocked') throw await blockedBy(ref, context, error);
    throw error;
  }
}

async function blockedBy(ref: ItemRef, context: Context, cause: ApiError): Promise<unknown> {
  const dependencies = await context.api.issues.listDependencies(ref).catch(() => undefined);
  const open = dependencies?.items.filter((each) => each.state === 'open') ?? [];
  if (open.length === 0) return cause;
  const list = open.map((each) => `• #${each.number} ${each.title} ${each.html_url}`).join('\n');
  return new UserError(`It cannot be closed while these are open:\n${list}\nClose them first, or remove the block.`, { cause });
}

export function stateReply({ issue, ref, state }: StateChange, context: Context): Message {
  const other = state === 'closed' ? { text: 'Reopen', command: 'issue reopen' } : { text: 'Close', command: 'issue close' };
  return message({
    blocks: issueCard(
      { ...issue, repository: { full_name: `${ref.owner}/${ref.repo}` } },
      {
        now: context.now,
        style: 'card',
        says: md`${state === 'closed' ? 'Closed' : 'Reopened'}`,
        buttons: [runButton({ ...other, args: { issue: ref } }), linkButton('Open on the forge', issue.html_url)],
      },
    ),
  });
}
