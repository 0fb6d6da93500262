import { command } from '../../chat/command.js';
import { flag, toggle } from '../../chat/fields/index.js';
import { drainedMessage, drainRunner } from '../../domain/runners/drain.js';
import { planSwitch } from '../../domain/runners/switch.js';
import { runner } from './reference.js';
import { moment } from './until.js';

export const runnerDrain = command({
  name: 'runner drain',
  summary: 'Stop a runner from taking new jobs until its jobs are done, or for a while',
  examples: ['runner drain builder-1', 'runner drain builder-1 --until-idle', 'runner drain builder-1 --until 18:00'],
  fields: {
    runner: runner(),
    untilIdle: toggle({ label: 'Until idle', text: 'Notify me when its jobs are done' }),
    until: flag(moment()),
  },
  role: 'admin',
  risk: 'write',
  effect: 'idempotent',
  amountsTo: 'runner disable',
  operations: ['admin.editRunner', 'admin.getRunner', 'admin.listRunners'],
  needs: ['admin.editRunner'],
  plan: ({ runner }, context) => planSwitch(runner, true, context),
  run: drainRunner,
  reply: drainedMessage,
});
