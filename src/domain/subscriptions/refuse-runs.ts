import type { Context } from '../../chat/context.js';
import { UserError } from '../../errors.js';
import { type Filter, needs } from '../../feed/filter.js';
import { serverName } from '../../forge/index.js';

/** Runs are posted only if the server lists them; otherwise people would wait in vain. */
export async function refuseRuns(filter: Filter, { forge }: Context): Promise<void> {
  const { has, server, remedy } = forge.capabilities;
  if (!needs(filter).runs || (await has('runs.list'))) return;
  throw new UserError(
    `${serverName(await server())} does not list workflow runs: ${await remedy('runs.list')}. Leave out runs.`,
    { field: 'filter' },
  );
}
