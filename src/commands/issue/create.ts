import { command } from '../../chat/command.js';
import { body, date, flag, labels, milestone, optional, people, repository, rest } from '../../chat/fields/index.js';
import { createdIssueMessage, createIssue, findCreatedIssue, planIssue } from '../../domain/issues/create.js';
import { fromTemplate } from '../../domain/issues/template/fill.js';
import { answers, template } from './template/field.js';

export const issueCreate = command({
  name: 'issue create',
  aliases: ['open', 'issue new'],
  summary: 'Open an issue',
  examples: [
    'issue create acme/engine Leaking pipe',
    'issue create acme/engine "Leaking pipe" --labels bug --assignees me --due fri',
  ],
  fields: {
    repository: repository(),
    template: flag(template()),
    title: rest({ label: 'Title' }),
    body: optional(body({ label: 'Text', hint: 'Markdown.' })),
    assignees: flag(people({ label: 'Assignees' })),
    labels: flag(labels()),
    milestone: flag(milestone()),
    due: flag(date({ label: 'Due date' })),
    answers: answers(),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'once',
  operations: [
    'issues.create',
    'issues.search',
    'repos.listAssignees',
    'repos.listLabels',
    'orgs.listLabels',
    'repos.listMilestones',
    'repos.listIssueTemplates',
    'repos.getIssueConfig',
    'repos.getFile',
  ],
  needs: ['issues.create'],
  asks: { into: 'answers', choice: 'template', locks: ['repository'], of: fromTemplate },
  plan: planIssue,
  run: createIssue,
  findDone: findCreatedIssue,
  reply: createdIssueMessage,
});
