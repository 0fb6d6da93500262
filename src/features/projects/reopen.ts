import { command } from '../../chat/command.js';
import { md } from '../../view/text.js';
import { changeState, planState, project, projectMessage } from './project.js';

export const projectReopen = command({
  name: 'project reopen',
  summary: 'Reopen a closed project',
  examples: ['project reopen acme/engine#1'],
  fields: { project: project() },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  opposite: 'project close',
  operations: ['projects.editInRepo', 'projects.getInRepo'],
  needs: ['projects.editInRepo'],
  plan: ({ project }) => planState(project, 'open'),
  run: ({ project }, context) => changeState(project, 'open', context),
  reply: (changed, { project }, context) => projectMessage(changed, project, md`Reopened`, context),
});
