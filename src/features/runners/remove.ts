import { command } from '../../chat/command.js';
import { request } from '../../chat/request.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { runnerState } from '../../view/state.js';
import { bold, md } from '../../view/text.js';
import { runner } from './runner.js';

export const runnerRemove = command({
  name: 'runner remove',
  summary: 'Remove a runner from the forge',
  examples: ['runner remove builder-2'],
  fields: { runner: runner() },
  role: 'admin',
  risk: 'risky',
  effect: 'idempotent',
  operations: ['admin.deleteRunner', 'admin.getRunner', 'admin.listRunners'],
  needs: ['admin.deleteRunner'],
  plan: ({ runner }) => [request('admin.deleteRunner', { runner_id: runner })],
  approval: {
    async observe({ runner }, { api }) {
      const found = await api.admin.getRunner({ runner_id: runner });
      return {
        bound: { id: found.id, name: found.name, disabled: found.disabled ?? null },
        shown: [
          ['Runner', found.name],
          ['State', runnerState(found)],
          ['Busy', found.busy ? 'yes, and its current run will get stuck' : 'no'],
          ['Labels', found.labels.map(({ name }) => name).join(', ') || 'none'],
        ],
        wants: { says: `remove the runner ${found.name}` },
      };
    },
  },
  async run({ runner }, { api }) {
    const found = await api.admin.getRunner({ runner_id: runner });
    await api.admin.deleteRunner({ runner_id: runner });
    return found;
  },
  reply: ({ name, id }) => message({ blocks: doneCard({ says: md`Removed runner ${bold(name)} (id ${id}).` }) }),
});
