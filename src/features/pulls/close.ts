import { command } from '../../chat/command.js';
import { pull } from '../../chat/fields.js';
import { changeState, planState, stateReply } from '../issues/close.js';

export const prClose = command({
  name: 'pr close',
  summary: 'Close a pull request without merging it',
  examples: ['pr close acme/engine#5', 'pr close #5'],
  fields: { pull: pull({ only: 'open' }) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  opposite: 'pr reopen',
  operations: ['pulls.edit', 'issues.get', 'issues.listDependencies'],
  plan: ({ pull }) => planState('pull', pull, 'closed'),
  run: ({ pull }, context) => changeState('pull', pull, 'closed', context),
  reply: (result, _args, context) => stateReply(result, context),
});
