import { command } from '../../chat/command.js';
import { pull } from '../../chat/fields.js';
import { stoppedMessage, stopWaiting } from './wait.js';

export const prCancelMerge = command({
  name: 'pr cancel-merge',
  summary: 'Stop a merge that is waiting for checks',
  examples: ['pr cancel-merge acme/engine#5'],
  fields: { pull: pull() },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: ['pulls.get', 'repos.getBranch', 'issues.get'],
  needs: ['pulls.get'],
  plan: () => [],
  run: stopWaiting,
  reply: stoppedMessage,
});
