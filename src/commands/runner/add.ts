import { command } from '../../chat/command.js';
import { flag, text, toggle } from '../../chat/fields/index.js';
import {
  addedRunnerMessage,
  addRunner,
  findAddedRunner,
  observeRunners,
  planRunner,
} from '../../domain/runners/add.js';

export const runnerAdd = command({
  name: 'runner add',
  title: 'Register a runner',
  summary: 'Register a new runner and get its token, shown only to you',
  examples: ['runner add builder-9'],
  fields: {
    name: text({ label: 'Name', placeholder: 'name' }),
    description: flag(text({ label: 'Description' })),
    ephemeral: toggle({ label: 'Ephemeral', text: 'Runs one job, then is removed' }),
  },
  role: 'admin',
  risk: 'risky',
  confidential: true,
  effect: 'once',
  operations: ['admin.createRunner', 'admin.listRunners'],
  needs: ['admin.createRunner'],
  plan: planRunner,
  observe: observeRunners,
  run: addRunner,
  findDone: findAddedRunner,
  reply: addedRunnerMessage,
});
