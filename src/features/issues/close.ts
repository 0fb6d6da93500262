import { runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { issue } from '../../chat/fields.js';
import { MessageError } from '../../chat/message-error.js';
import { type ItemRef, refOf } from '../../chat/references.js';
import { type Request, request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import { ifAnswered, possible, soon } from '../../forge/possible.js';
import type { Issue } from '../../forge/schemas.js';
import type { IssueLike } from '../../view/cards/issue.js';
import { failureCard } from '../../view/cards/outcome.js';
import { type Message, message } from '../../view/message.js';
import { join, md } from '../../view/text.js';
import { linkItem, linkRelated, placeOf, shortName, siftRelated } from './block.js';
import { asItem, isPull, itemMessage } from './card.js';

type State = 'open' | 'closed';
type Kind = 'issue' | 'pull';

interface StateChange {
  readonly item: IssueLike;
  readonly ref: ItemRef;
  readonly state: State;
  /** It already was: nothing was sent. */
  readonly already: boolean;
}

const edit = (kind: Kind, ref: ItemRef, state: State) =>
  kind === 'issue'
    ? request('issues.edit', { ...ref, body: { state } })
    : request('pulls.edit', { ...ref, body: { state } });

export const planState = (kind: Kind, ref: ItemRef, state: State): readonly Request[] => [edit(kind, ref, state)];

/** When open issues block closing, names them; the change can be undone for a while. */
export async function changeState(kind: Kind, ref: ItemRef, state: State, context: Context): Promise<StateChange> {
  const before = await possible(context.api.issues.get(ref));
  if (before) refuseUnfit(kind, ref, before);
  if (before?.state === state) return { item: before, ref, state, already: true };
  const { api } = context;
  try {
    const item =
      kind === 'issue'
        ? await api.issues.edit({ ...ref, body: { state } })
        : asItem(await api.pulls.edit({ ...ref, body: { state } }));
    // Without the state before and after, nobody could tell whether undoing is right.
    const after = before && (await soon(api.issues.get(ref)));
    if (after) offerBack(kind, ref, after, context);
    return { item, ref, state, already: false };
  } catch (error) {
    throw error instanceof ApiError && error.kind === 'blocked' ? await blockedBy(ref, context, error) : error;
  }
}

function refuseUnfit(kind: Kind, ref: ItemRef, before: Issue): void {
  if (kind === 'pull') refuseIssue(ref, before);
  if (before.pull_request?.merged) {
    throw new UserError(`${refOf(ref)} is merged, so it cannot be closed or reopened.`);
  }
}

/** Both share numbers, and the pull request routes answer an issue with a plain 404. */
export function refuseIssue(ref: ItemRef, item: Issue): void {
  if (isPull(item)) return;
  throw new UserError(`${refOf(ref)} is an issue, not a pull request. Use /forge issue show ${refOf(ref)}.`);
}

function offerBack(kind: Kind, ref: ItemRef, { id, state, closed_at, updated_at }: Issue, context: Context): void {
  const back = state === 'closed' ? 'open' : 'closed';
  // someone else may have changed it there and back again
  const moment = state === 'closed' ? { closed_at } : { updated_at };
  context.offerUndo({
    says: `${back === 'open' ? 'Reopened' : 'Closed'} ${refOf(ref)} again.`,
    request: edit(kind, ref, back),
    guard: { request: request('issues.get', ref), expect: { id, state, ...moment } },
  });
}

const mostShown = 10;
const mostButtons = 4;

/** What blocks it, with a way to remove that; the original error if nothing does. */
export async function blockedBy(ref: ItemRef, context: Context, cause: ApiError, doing = 'closed'): Promise<Error> {
  const dependencies = await ifAnswered(context.api.issues.listDependencies({ ...ref, query: { limit: 50 } }));
  const open = dependencies?.items.filter((each) => each.state === 'open') ?? [];
  if (open.length === 0) return cause;
  const { shown, rest: unseen } = await siftRelated(open, ref, context);
  const named = shown.slice(0, mostShown).map((each) => md`• ${linkRelated(each, ref)}`);
  const rest = shown.length > mostShown ? md`and ${shown.length - mostShown} more` : undefined;
  const says = join(
    [md`${linkItem(ref, context)} cannot be ${doing} while these are open:`, ...named, rest, unseen && md`• ${unseen}`],
    '\n',
  );
  const buttons = shown.slice(0, mostButtons).map((each) => {
    const issue = placeOf(each, ref);
    const text = open.length === 1 ? 'Remove dependency' : `Unblock from ${shortName(issue, ref)}`;
    return runButton({ text, command: 'issue unblock', args: { issue, blocked: ref } });
  });
  const next = 'Close them first, or remove the dependency.';
  return new MessageError(message({ blocks: failureCard({ says, next, buttons }) }), cause);
}

export function stateReply({ item, ref, state, already }: StateChange, context: Context): Message {
  const word = state === 'closed' ? 'closed' : 'open';
  const done = state === 'closed' ? md`Closed` : md`Reopened`;
  return itemMessage(item, { ref, says: already ? md`Already ${word}:` : done }, context);
}

export const issueClose = command({
  name: 'issue close',
  aliases: ['close'],
  summary: 'Close an issue',
  examples: ['issue close acme/engine#12', 'close #12'],
  fields: { issue: issue({ only: 'open' }) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  approval: { forPulls: 'pr close' },
  opposite: 'issue reopen',
  operations: ['issues.edit', 'issues.get', 'issues.listDependencies'],
  plan: ({ issue }) => planState('issue', issue, 'closed'),
  run: ({ issue }, context) => changeState('issue', issue, 'closed', context),
  reply: (result, _args, context) => stateReply(result, context),
});

export const issueReopen = command({
  name: 'issue reopen',
  aliases: ['reopen'],
  summary: 'Reopen a closed issue',
  examples: ['issue reopen acme/engine#12', 'reopen #12'],
  fields: { issue: issue({ only: 'closed' }) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  approval: { forPulls: 'pr reopen' },
  opposite: 'issue close',
  operations: ['issues.edit', 'issues.get', 'issues.listDependencies'],
  plan: ({ issue }) => planState('issue', issue, 'open'),
  run: ({ issue }, context) => changeState('issue', issue, 'open', context),
  reply: (result, _args, context) => stateReply(result, context),
});
