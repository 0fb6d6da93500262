import { turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { choice, flag } from '../../chat/fields/index.js';
import { offset, readFrom, rows } from '../../chat/fields/offset.js';
import { request } from '../../chat/request.js';
import { runnerRow } from '../../domain/runners/card.js';
import { UserError } from '../../errors.js';
import { type Forge, serverName } from '../../forge/index.js';
import { section } from '../../view/blocks.js';
import { message } from '../../view/message.js';
import { stretch } from '../../view/paging.js';
import { md } from '../../view/text.js';

type Only = 'enabled' | 'disabled';
const queryOf = (only: Only | undefined) => ({ disabled: only && only === 'disabled' });

/** Every runner would fit "enabled", and none could be switched off. */
async function cannotSwitch({ capabilities }: Forge): Promise<UserError> {
  const here = serverName(await capabilities.server());
  return new UserError(`${here} cannot disable runners: ${await capabilities.remedy('admin.editRunner')}.`, {
    field: 'only',
  });
}

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
  plan: ({ only }) => [request('admin.listRunners', { query: queryOf(only) })],
  async run({ only, from }, { api, forge }) {
    if (only !== undefined && !(await forge.capabilities.has('admin.editRunner'))) throw await cannotSwitch(forge);
    return readFrom(from ?? 0, (paging) => api.admin.listRunners({ query: { ...queryOf(only), ...paging } }));
  },
  reply: (found, args, { now }) => {
    if (found.items.length === 0)
      return message({ blocks: [section(md`No matching runners. To add one, run /forge runner token.`)] });
    return message({
      blocks: stretch(
        found,
        rows,
        (runner) => runnerRow(runner, now),
        (from) => turnButton({ text: 'Show more', command: 'runner list', args: { ...args, from } }),
      ),
    });
  },
});
