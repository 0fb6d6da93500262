import { command } from '../../chat/command.js';
import { issue } from '../../chat/fields/index.js';
import { request } from '../../chat/request.js';
import { readWithComments, shownIssueMessage } from '../../domain/issues/show.js';

export const issueShow = command({
  name: 'issue show',
  summary: 'Show an issue with its latest comments',
  examples: ['issue show acme/engine#12', 'issue show #12'],
  fields: { issue: issue() },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['issues.get', 'issues.listDependencies', 'issues.listBlocks', 'issues.listComments'],
  needs: ['issues.get'],
  plan: ({ issue }) => [request('issues.get', issue)],
  run: ({ issue }, context) => readWithComments(issue, context),
  reply: shownIssueMessage,
});
