import { turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { choice, flag, offset, readFrom, rows } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { type Forge, serverName } from '../../forge/index.js';
import { section } from '../../view/blocks.js';
import { message } from '../../view/message.js';
import { stretch } from '../../view/paging.js';
import { code, md } from '../../view/text.js';
import { runnerRow } from './runner.js';

interface RunnersWanted {
  readonly only?: Only | undefined;
  readonly from?: number | undefined;
}

type Only = 'enabled' | 'disabled';

const queryOf = (only: Only | undefined) => ({ disabled: only && only === 'disabled' });

/** Every runner would count as enabled, and none could be disabled. */
async function cannotSwitch({ capabilities }: Forge): Promise<UserError> {
  const here = serverName(await capabilities.server());
  return new UserError(`${here} cannot disable runners: ${await capabilities.remedy('admin.editRunner')}.`, {
    field: 'only',
  });
}

const planRunnerList = ({ only }: RunnersWanted) => [request('admin.listRunners', { query: queryOf(only) })];

async function listRunners({ only, from }: RunnersWanted, { api, forge }: Context) {
  if (only !== undefined && !(await forge.capabilities.has('admin.editRunner'))) throw await cannotSwitch(forge);
  return readFrom(from ?? 0, (paging) => api.admin.listRunners({ query: { ...queryOf(only), ...paging } }));
}

function runnersMessage(found: Awaited<ReturnType<typeof listRunners>>, args: RunnersWanted, { now, slash }: Context) {
  if (found.items.length === 0)
    return message({ blocks: [section(md`No matching runners. To add one, run ${code(`${slash} runner token`)}.`)] });
  return message({
    blocks: stretch(
      found,
      rows,
      (runner) => runnerRow(runner, now),
      (from) => turnButton({ text: 'Show more', command: 'runner list', args: { ...args, from } }),
    ),
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
  plan: planRunnerList,
  run: listRunners,
  reply: runnersMessage,
});
