import { command } from '../../chat/command.js';
import { run } from '../../chat/fields/index.js';
import { fullName } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import { message } from '../../view/message.js';
import { runState } from '../../view/state.js';
import { md } from '../../view/text.js';
import { ifTold } from '../possible.js';
import { runBlocks } from './card.js';
import { isDone } from './read.js';

export const runCancel = command({
  name: 'run cancel',
  summary: 'Cancel a workflow run',
  examples: ['run cancel acme/engine#123'],
  fields: { run: run() },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: ['runs.cancel', 'runs.get'],
  needs: ['runs.cancel'],
  plan: ({ run }) => [request('runs.cancel', run)],
  async run({ run: ref }, { api }) {
    try {
      return await api.runs.cancel(ref);
    } catch (error) {
      if (!(error instanceof ApiError) || error.kind !== 'conflict') throw error;
      const present = await ifTold(api.runs.get(ref));
      const state = present ? ` (${runState(present)})` : '';
      throw new UserError(`Run ${ref.run} of ${fullName(ref)} is over already${state}: there is nothing to cancel.`, {
        cause: error,
      });
    }
  },
  reply(found, { run: ref }, { now }) {
    const says = isDone(found) ? md`Cancelled` : md`Asked to cancel`;
    const notes = isDone(found)
      ? []
      : [
          `Its runner has to confirm. If it still runs after a while, force-cancel it: run force-cancel ${fullName(ref)}#${ref.run}`,
        ];
    return message({ blocks: runBlocks(found, ref, { now, says, notes }) });
  },
});
