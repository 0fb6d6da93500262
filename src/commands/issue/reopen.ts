import { command } from '../../chat/command.js';
import { issue } from '../../chat/fields/index.js';
import { changeState, planState, stateReply } from '../../domain/issues/state.js';

export const issueReopen = command({
  name: 'issue reopen',
  aliases: ['reopen'],
  summary: 'Reopen a closed issue',
  examples: ['issue reopen acme/engine#12', 'reopen #12'],
  fields: { issue: issue({ only: 'closed' }) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  forPulls: 'pr reopen',
  opposite: 'issue close',
  operations: ['issues.edit', 'issues.get', 'issues.listDependencies'],
  plan: ({ issue }) => planState('issue', issue, 'open'),
  run: ({ issue }, context) => changeState('issue', issue, 'open', context),
  reply: (result, _args, context) => stateReply(result, context),
});
