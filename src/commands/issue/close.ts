import { command } from '../../chat/command.js';
import { issue } from '../../chat/fields/index.js';
import { changeState, planState, stateReply } from '../../domain/issues/state.js';

export const issueClose = command({
  name: 'issue close',
  aliases: ['close'],
  summary: 'Close an issue',
  examples: ['issue close acme/engine#12', 'close #12'],
  fields: { issue: issue({ only: 'open' }) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  forPulls: 'pr close',
  opposite: 'issue reopen',
  operations: ['issues.edit', 'issues.get', 'issues.listDependencies'],
  plan: ({ issue }) => planState('issue', issue, 'closed'),
  run: ({ issue }, context) => changeState('issue', issue, 'closed', context),
  reply: (result, _args, context) => stateReply(result, context),
});
