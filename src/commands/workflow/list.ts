import { command } from '../../chat/command.js';
import { repository } from '../../chat/fields/index.js';
import { request } from '../../chat/request.js';
import { workflowsMessage } from '../../domain/workflows/list.js';

export const workflowList = command({
  name: 'workflow list',
  summary: 'List the workflows of a repository',
  examples: ['workflow list acme/engine'],
  fields: { repository: repository() },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['workflows.list'],
  needs: ['workflows.list'],
  plan: ({ repository }) => [request('workflows.list', repository)],
  run: ({ repository }, { api }) => api.workflows.list(repository),
  reply: workflowsMessage,
});
