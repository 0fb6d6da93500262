import { command } from '../../chat/command.js';
import { repository } from '../../chat/fields/index.js';
import { workflow } from '../../domain/workflows/fields.js';
import { switchedMessage, switchRequest, switchWorkflow } from '../../domain/workflows/switch.js';

export const workflowEnable = command({
  name: 'workflow enable',
  summary: 'Enable a workflow',
  examples: ['workflow enable acme/engine ci.yml'],
  fields: { repository: repository(), workflow: workflow() },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  opposite: 'workflow disable',
  operations: ['workflows.enable', 'workflows.list'],
  needs: ['workflows.enable', 'workflows.list'],
  plan: (target) => [switchRequest(target, true)],
  run: (target, context) => switchWorkflow(target, true, context),
  reply: (switched, target) => switchedMessage(switched, target, true),
});
