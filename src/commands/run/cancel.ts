import { command } from '../../chat/command.js';
import { canceledBranch, canceledMessage, cancelRun, planCancel } from '../../domain/runs/cancel.js';
import { writtenRun } from '../../domain/runs/run-field.js';

export const runCancel = command({
  name: 'run cancel',
  summary: 'Cancel a workflow run',
  examples: ['run cancel acme/engine#123'],
  fields: { run: writtenRun() },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: ['runs.cancel', 'runs.get', 'runs.list'],
  needs: ['runs.cancel'],
  branches: canceledBranch,
  plan: planCancel,
  run: cancelRun,
  reply: canceledMessage,
});
