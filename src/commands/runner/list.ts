import { command } from '../../chat/command.js';
import { choice, flag } from '../../chat/fields/index.js';
import { offset } from '../../chat/fields/offset.js';
import { listRunners, planRunnerList, runnersMessage } from '../../domain/runners/list.js';

export const runnerList = command({
  name: 'runner list',
  summary: 'List the runners of the whole forge',
  examples: ['runner list', 'runner list --only disabled'],
  fields: { only: flag(choice(['enabled', 'disabled'], { label: 'Only' })), from: offset() },
  role: 'admin',
  risk: 'read',
  effect: 'read',
  operations: ['admin.listRunners'],
  needs: ['admin.listRunners'],
  plan: planRunnerList,
  run: listRunners,
  reply: runnersMessage,
});
