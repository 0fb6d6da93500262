import { command } from '../../chat/command.js';
import { md } from '../../view/text.js';
import { changeState, planState, project, projectMessage } from './project.js';

export const projectClose = command({
  name: 'project close',
  summary: 'Close a repository project',
  examples: ['project close acme/engine#1'],
  fields: { project: project() },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  opposite: 'project reopen',
  operations: ['projects.editInRepo', 'projects.getInRepo'],
  needs: ['projects.editInRepo'],
  plan: ({ project }) => planState(project, 'closed'),
  run: ({ project }, context) => changeState(project, 'closed', context),
  reply: (changed, { project }, context) => projectMessage(changed, project, md`Closed`, context),
});
