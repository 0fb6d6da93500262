import { command } from '../../chat/command.js';
import { clearable, issue } from '../../chat/fields/index.js';
import { dueDate } from './due-date.js';
import { edit, editReply, planEdit } from './editing.js';

export const issueDue = command({
  name: 'issue due',
  summary: 'Set or take away the due date of an issue',
  examples: ['issue due acme/engine#12 fri', 'issue due #12 2026-12-01', 'issue due #12 none'],
  fields: { issue: issue(), due: clearable(dueDate()) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: ['issues.edit', 'issues.get'],
  plan: ({ issue, due }, context) => planEdit('issue', issue, { due }, context),
  run: ({ issue, due }, context) => edit('issue', issue, { due }, context),
  reply: (result, _args, context) => editReply(result, context),
});
