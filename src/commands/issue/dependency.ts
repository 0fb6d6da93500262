import type { Context } from '../../chat/context.js';
import { issue } from '../../chat/fields/index.js';
import { type ItemRef, refOf, webAddress } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import type { Issue } from '../../forge/schemas/issue.js';
import { link, type Mrkdwn } from '../../view/text.js';
import { possible } from '../possible.js';

/** `issue` blocks `blocked`: the second cannot be closed while the first is open. */
export interface Dependency {
  readonly issue: ItemRef;
  readonly blocked: ItemRef;
}

export const dependencyFields = {
  issue: issue({ label: 'Blocking issue', hint: 'The one that must be done first.' }),
  blocked: issue({ label: 'Blocked issue', hint: 'The one that has to wait.', placeholder: 'owner/repo#15' }),
};

const input = ({ issue, blocked: { owner, repo, index } }: Dependency) => ({ ...issue, body: { owner, repo, index } });
export const blockRequest = (given: Dependency) => request('issues.block', input(given));
export const unblockRequest = (given: Dependency) => request('issues.unblock', input(given));

const same = (a: ItemRef, b: ItemRef) => refOf(a).toLowerCase() === refOf(b).toLowerCase();

const isAt = (item: Issue, ref: ItemRef) => {
  const { repository } = item;
  const at = repository ? { owner: repository.owner, repo: repository.name } : ref;
  return same({ ...at, index: item.number }, ref);
};

/** Undefined where this server does not tell what blocks what. */
async function blocks(issue: ItemRef, blocked: ItemRef, { api }: Context): Promise<boolean | undefined> {
  return possible(
    (async () => {
      for await (const item of api.issues.listBlocks.each(issue, { max: 500 })) if (isAt(item, blocked)) return true;
      return false;
    })(),
  );
}

/** All of this the forge would answer with an empty 500. */
export async function look({ issue, blocked }: Dependency, context: Context): Promise<boolean | undefined> {
  if (same(issue, blocked)) throw new UserError(`${refOf(issue)} cannot block itself. Name two different issues.`);
  await Promise.all([possible(context.api.issues.get(issue)), possible(context.api.issues.get(blocked))]);
  return blocks(issue, blocked, context);
}

export async function refuseCircle({ issue, blocked }: Dependency, context: Context): Promise<void> {
  if (!(await blocks(blocked, issue, context))) return;
  throw new UserError(
    `${refOf(blocked)} blocks ${refOf(issue)} already, so it cannot be the other way round too. Take that block away first: /forge issue unblock ${refOf(blocked)} ${refOf(issue)}`,
  );
}

export const linked = (ref: ItemRef, { forge }: Context): Mrkdwn =>
  link(webAddress(forge.web, { kind: 'issue', of: ref }), refOf(ref));
