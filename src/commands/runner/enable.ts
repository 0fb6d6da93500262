import { command } from '../../chat/command.js';
import { planSwitch, switchedMessage, switchRunner } from '../../domain/runners/switch.js';
import { runner } from './reference.js';

export const runnerEnable = command({
  name: 'runner enable',
  summary: 'Allow a runner to take jobs again',
  examples: ['runner enable builder-1'],
  fields: { runner: runner() },
  role: 'admin',
  risk: 'write',
  effect: 'idempotent',
  opposite: 'runner disable',
  operations: ['admin.editRunner', 'admin.getRunner', 'admin.listRunners'],
  needs: ['admin.editRunner'],
  plan: ({ runner }, context) => planSwitch(runner, false, context),
  run: ({ runner }, context) => switchRunner(runner, false, context),
  reply: (switched, _args, context) => switchedMessage(switched, context),
});
