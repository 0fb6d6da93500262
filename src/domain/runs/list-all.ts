import { moreMenu, turnButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { readFrom, rows } from '../../chat/fields/offset.js';
import { readRepository } from '../../chat/references.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import type { RunFilter } from '../../forge/schemas/run-filter.js';
import { section } from '../../view/blocks.js';
import { runCard } from '../../view/cards/run.js';
import { message } from '../../view/message.js';
import { stretch } from '../../view/paging.js';
import { md } from '../../view/text.js';
import { refuseUnknownActor } from './list.js';

interface AllRunsSearch {
  readonly status?: readonly RunFilter[] | undefined;
  readonly event?: string | undefined;
  readonly branch?: string | undefined;
  readonly actor?: string | undefined;
  readonly sha?: string | undefined;
  readonly from?: number | undefined;
}

export const allRunsQuery = ({ status, event, branch, actor, sha }: AllRunsSearch) => ({
  ...(status && { status: [...status] }),
  event,
  branch,
  actor,
  head_sha: sha,
});

function row(run: WorkflowRun, now: Date) {
  const at = run.repository && readRepository(run.repository.full_name, '');
  const args = at && { run: { ...at, run: run.id } };
  const menu = args && moreMenu([{ text: 'Show', command: 'run show', args }]);
  return runCard(run, { now, style: 'row', menu });
}

export async function listAllRuns(args: AllRunsSearch, context: Context) {
  await refuseUnknownActor(args.actor, context);
  const query = allRunsQuery(args);
  return readFrom(args.from ?? 0, (paging) => context.api.admin.listRuns({ query: { ...query, ...paging } }));
}

export function allRunsMessage(found: Awaited<ReturnType<typeof listAllRuns>>, args: AllRunsSearch, { now }: Context) {
  if (found.items.length === 0) return message({ blocks: [section(md`No matching runs.`)] });
  const actor = args.actor === undefined ? undefined : { login: args.actor };
  return message({
    blocks: stretch(
      found,
      rows,
      (run) => row(run, now),
      (from) => turnButton({ text: 'Show more', command: 'admin runs', args: { ...args, actor, from } }),
    ),
  });
}
