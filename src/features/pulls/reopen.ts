import { command } from '../../chat/command.js';
import { pull } from '../../chat/fields.js';
import { changeState, planState, stateReply } from '../issues/close.js';

export const prReopen = command({
  name: 'pr reopen',
  summary: 'Reopen a closed pull request',
  examples: ['pr reopen acme/engine#5', 'pr reopen #5'],
  fields: { pull: pull({ only: 'closed' }) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  opposite: 'pr close',
  operations: ['pulls.edit', 'issues.get', 'issues.listDependencies'],
  plan: ({ pull }) => planState('pull', pull, 'open'),
  run: ({ pull }, context) => changeState('pull', pull, 'open', context),
  reply: (result, _args, context) => stateReply(result, context),
});
