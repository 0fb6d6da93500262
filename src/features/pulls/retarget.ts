import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { branch, pull } from '../../chat/fields.js';
import { type ItemRef, refOf } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { asCode, UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import { soon } from '../../forge/possible.js';
import { withOpenRequests } from '../../forge/review-requests.js';
import { code, md } from '../../view/text.js';
import { pullMessage } from './card.js';
import { pullIfKnown, refuseClosed } from './read.js';

interface Retarget {
  readonly pull: ItemRef;
  readonly base: string;
}

async function retargetPull({ pull: ref, base }: Retarget, context: Context) {
  const before = await pullIfKnown(ref, context);
  refuseClosed(ref, before, 'its target branch cannot change');
  if (before?.base?.ref === base) return { after: await withOpenRequests(context.api, ref, before), from: base };
  const after = await context.api.pulls.edit({ ...ref, body: { base } }).catch((error: unknown) => {
    if (error instanceof ApiError && error.kind === 'conflict') {
      const why = error.serverMessage || 'it is merged, or another pull request uses the same branches';
      throw new UserError(`${refOf(ref)} cannot target ${asCode(base)}: ${why}.`, { cause: error });
    }
    throw error;
  });
  const old = before?.base?.ref;
  if (old !== undefined && old !== '') {
    context.offerUndo({
      says: `${refOf(ref)} targets ${old} again.`,
      request: request('pulls.edit', { ...ref, body: { base: old } }),
      guard: { request: request('pulls.get', ref), expect: { id: after.id, base: after.base } },
    });
  }
  return { after: (await soon(withOpenRequests(context.api, ref, after))) ?? after, from: old };
}

function retargetedMessage(
  { after, from }: Awaited<ReturnType<typeof retargetPull>>,
  { pull: ref, base }: Retarget,
  context: Context,
) {
  if (from === base) return pullMessage(after, { ref, says: md`Already targets ${code(base)}:` }, context);
  const was = from ? md` from ${code(from)}` : md``;
  return pullMessage(after, { ref, says: md`Changed the target branch${was} to ${code(base)}:` }, context);
}

export const prRetarget = command({
  name: 'pr retarget',
  title: 'Change target branch',
  summary: 'Change the target branch of a pull request',
  examples: ['pr retarget acme/engine#5 release/1.2'],
  fields: { pull: pull(), base: branch({ label: 'New target branch' }) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: ['pulls.edit', 'pulls.get', 'pulls.listReviews', 'issues.get'],
  approval: { branches: async ({ pull, base }, context) => [base, (await pullIfKnown(pull, context))?.base?.ref] },
  plan: ({ pull, base }) => [request('pulls.edit', { ...pull, body: { base } })],
  run: retargetPull,
  reply: retargetedMessage,
});
