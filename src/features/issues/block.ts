import { runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { issue } from '../../chat/fields.js';
import { fullName, type ItemRef, refOf, webAddress } from '../../chat/references.js';
import { type Request, request, send } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import { ifAnswered, isAbsent, possible } from '../../forge/possible.js';
import type { Issue } from '../../forge/schemas.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { link, type Mrkdwn, md } from '../../view/text.js';

/** `issue` blocks `blocked`: the second cannot be closed while the first is open. */
interface Dependency {
  readonly issue: ItemRef;
  readonly blocked: ItemRef;
}

const dependencyFields = {
  issue: issue({ label: 'Blocking issue', hint: 'The issue to close first.' }),
  blocked: issue({ label: 'Blocked issue', hint: 'The issue that has to wait.', placeholder: 'owner/repo#15' }),
};

const input = ({ issue, blocked: { owner, repo, index } }: Dependency) => ({ ...issue, body: { owner, repo, index } });
const blockRequest = (given: Dependency) => request('issues.block', input(given));
const unblockRequest = (given: Dependency) => request('issues.unblock', input(given));

const same = (a: ItemRef, b: ItemRef) => refOf(a).toLowerCase() === refOf(b).toLowerCase();

/** The repository of an item related to `near`; a server that does not say means the same one. */
export function placeOf({ repository, number }: Issue, near: ItemRef): ItemRef {
  const at = repository ? { owner: repository.owner, repo: repository.name } : near;
  return { owner: at.owner, repo: at.repo, index: number };
}

/** `#7`, with its repository if that is a different one. */
export function shortName(item: ItemRef, near: ItemRef): string {
  return same({ ...item, index: near.index }, near) ? `#${item.index}` : refOf(item);
}

/** Linked, with its title, and its repository if that is a different one. */
export const linkRelated = (item: Issue, near: ItemRef): Mrkdwn =>
  link(item.html_url, `${shortName(placeOf(item, near), near)} ${item.title}`);

/** Items beside `near`; those this place may not show are only counted. */
export async function siftRelated(items: readonly Issue[], near: ItemRef, context: Context) {
  const may = await Promise.all(
    items.map((each) => {
      const place = placeOf(each, near);
      return same({ ...place, index: near.index }, near) || context.mayShow(place);
    }),
  );
  const shown = items.filter((_, index) => may[index]);
  const count = items.length - shown.length;
  const where = count === 1 ? 'a repository' : 'repositories';
  const rest = count === 0 ? undefined : `${count}${shown.length > 0 ? ' more' : ''} in ${where} not shown here`;
  return { shown, rest };
}

/** Undefined if this server does not report what blocks what. */
async function blocks(issue: ItemRef, blocked: ItemRef, { api }: Context): Promise<boolean | undefined> {
  return possible(
    (async () => {
      for await (const item of api.issues.listBlocks.each(issue, { max: 500 }))
        if (same(placeOf(item, blocked), blocked)) return true;
      return false;
    })(),
  );
}

/** The forge would answer all of these with an empty 500. */
async function look({ issue, blocked }: Dependency, context: Context): Promise<boolean | undefined> {
  if (same(issue, blocked)) throw new UserError(`${refOf(issue)} cannot block itself. Name two different issues.`);
  await Promise.all([possible(context.api.issues.get(issue)), possible(context.api.issues.get(blocked))]);
  return blocks(issue, blocked, context);
}

/** Both exist, so a 404 means a missing permission in the blocked issue's repository. */
async function sendDependency(sent: Request, { issue, blocked }: Dependency, context: Context): Promise<void> {
  try {
    await send(context.api, sent);
  } catch (error) {
    if (!isAbsent(error)) throw error;
    const found = await Promise.all([issue, blocked].map((each) => ifAnswered(context.api.issues.get(each))));
    if (found.includes(undefined)) throw error;
    const { operation, status, serverMessage } = error;
    const hint = `You need write access to issues in ${fullName(blocked)}, and dependencies must be enabled there. Ask one of its owners.`;
    throw new ApiError({ kind: 'forbidden', operation, status, serverMessage, hint });
  }
}

async function refuseCircle({ issue, blocked }: Dependency, context: Context): Promise<void> {
  if (!(await blocks(blocked, issue, context))) return;
  throw new UserError(
    `${refOf(blocked)} already blocks ${refOf(issue)}. Remove that first: /forge issue unblock ${refOf(blocked)} ${refOf(issue)}`,
  );
}

export const linkItem = (ref: ItemRef, { forge }: Context): Mrkdwn =>
  link(webAddress(forge.web, { kind: 'issue', of: ref }), refOf(ref));

export const issueBlock = command({
  name: 'issue block',
  title: 'Mark as blocking',
  summary: 'Mark an issue as blocking another',
  examples: ['issue block acme/engine#3 acme/engine#7', 'issue block #3 #7'],
  fields: dependencyFields,
  role: 'everyone',
  risk: 'write',
  effect: 'once',
  operations: ['issues.block', 'issues.get', 'issues.listBlocks'],
  plan: (args) => [blockRequest(args)],
  async run(args, context) {
    if (await look(args, context)) return { already: true };
    await refuseCircle(args, context);
    await sendDependency(blockRequest(args), args, context);
    const says = `${refOf(args.issue)} no longer blocks ${refOf(args.blocked)}.`;
    context.offerUndo({ says, request: unblockRequest(args) });
    return { already: false };
  },
  async findDone(args, context) {
    const there = await look(args, context);
    return there === undefined ? 'unknowable' : there ? { already: false } : undefined;
  },
  reply({ already }, args, context) {
    const [first, second] = [linkItem(args.issue, context), linkItem(args.blocked, context)];
    const buttons = already ? [runButton({ text: 'Remove dependency', command: 'issue unblock', args })] : [];
    const says = already ? md`${first} already blocks ${second}.` : md`${first} now blocks ${second}.`;
    return message({ blocks: doneCard({ says, buttons }) });
  },
});

export const issueUnblock = command({
  name: 'issue unblock',
  summary: 'Remove a blocking dependency between two issues',
  examples: ['issue unblock acme/engine#3 acme/engine#7', 'issue unblock #3 #7'],
  fields: dependencyFields,
  role: 'everyone',
  risk: 'write',
  effect: 'once',
  operations: ['issues.unblock', 'issues.get', 'issues.listBlocks'],
  plan: (args) => [unblockRequest(args)],
  async run(args, context): Promise<'gone'> {
    const [first, second] = [refOf(args.issue), refOf(args.blocked)];
    if ((await look(args, context)) === false) {
      throw new UserError(`${first} does not block ${second}. See /forge issue show ${second}`);
    }
    await sendDependency(unblockRequest(args), args, context);
    context.offerUndo({ says: `${first} blocks ${second} again.`, request: blockRequest(args) });
    return 'gone';
  },
  async findDone(args, context) {
    const there = await look(args, context);
    return there === undefined ? 'unknowable' : there ? undefined : 'gone';
  },
  reply(_result, args, context) {
    const says = md`${linkItem(args.issue, context)} no longer blocks ${linkItem(args.blocked, context)}.`;
    const text = `Close #${args.blocked.index}`;
    const close = runButton({ text, command: 'issue close', args: { issue: args.blocked } });
    return message({ blocks: doneCard({ says, buttons: [close] }) });
  },
});
