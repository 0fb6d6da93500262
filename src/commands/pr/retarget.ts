import { command } from '../../chat/command.js';
import { branch, pull } from '../../chat/fields/index.js';
import { request } from '../../chat/request.js';
import { pullIfKnown } from '../../domain/pulls/read.js';
import { retargetedMessage, retargetPull } from '../../domain/pulls/retarget.js';

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
  branches: async ({ pull, base }, context) => [base, (await pullIfKnown(pull, context))?.base?.ref],
  plan: ({ pull, base }) => [request('pulls.edit', { ...pull, body: { base } })],
  run: retargetPull,
  reply: retargetedMessage,
});
