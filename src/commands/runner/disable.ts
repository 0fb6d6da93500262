import { command } from '../../chat/command.js';
import { planSwitch, switchedMessage, switchRunner } from '../../domain/runners/switch.js';
import { runner } from './reference.js';

export const runnerDisable = command({
  name: 'runner disable',
  summary: 'Stop a runner from taking new jobs',
  examples: ['runner disable builder-1'],
  fields: { runner: runner() },
  role: 'admin',
  risk: 'write',
  effect: 'idempotent',
  opposite: 'runner enable',
  operations: ['admin.editRunner', 'admin.getRunner', 'admin.listRunners'],
  needs: ['admin.editRunner'],
  plan: ({ runner }, context) => planSwitch(runner, true, context),
  run: ({ runner }, context) => switchRunner(runner, true, context),
  reply: (switched, _args, context) => switchedMessage(switched, context),
});
