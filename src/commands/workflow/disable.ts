import { command } from '../../chat/command.js';
import { repository } from '../../chat/fields/index.js';
import { workflow } from '../../domain/workflows/fields.js';
import { switchedMessage, switchRequest, switchWorkflow } from '../../domain/workflows/switch.js';

export const workflowDisable = command({
  name: 'workflow disable',
  summary: 'Disable a workflow, so that nothing starts it',
  examples: ['workflow disable acme/engine ci.yml'],
  fields: { repository: repository(), workflow: workflow() },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  opposite: 'workflow enable',
  operations: ['workflows.disable', 'workflows.list'],
  needs: ['workflows.disable', 'workflows.list'],
  plan: (target) => [switchRequest(target, false)],
  run: (target, context) => switchWorkflow(target, false, context),
  reply: (switched, target) => switchedMessage(switched, target, false),
});
