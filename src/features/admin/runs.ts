import { moreMenu, turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { branch, choices, flag, offset, person, readFrom, rows, text } from '../../chat/fields.js';
import { readRepository } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import type { RunFilter, WorkflowRun } from '../../forge/schemas.js';
import { section } from '../../view/blocks.js';
import { runCard } from '../../view/cards/run.js';
import { message } from '../../view/message.js';
import { stretch } from '../../view/paging.js';
import { md } from '../../view/text.js';
import { refuseUnknownActor } from '../runs/listing.js';
import { argsOf } from '../runs/read.js';
import { filters } from './filters.js';

interface AllRunsSearch {
  readonly status?: readonly RunFilter[] | undefined;
  readonly event?: string | undefined;
  readonly branch?: string | undefined;
  readonly actor?: string | undefined;
  readonly sha?: string | undefined;
  readonly from?: number | undefined;
}

const allRunsQuery = ({ status, event, branch, actor, sha }: AllRunsSearch) => ({
  ...(status && { status: [...status] }),
  event,
  branch,
  actor,
  head_sha: sha,
});

function row(run: WorkflowRun, now: Date) {
  const at = run.repository && readRepository(run.repository.full_name, '');
  const menu = at && moreMenu([{ text: 'Show', command: 'run show', args: argsOf(at, run) }]);
  return runCard(run, { now, style: 'row', menu });
}

async function listAllRuns(args: AllRunsSearch, context: Context) {
  await refuseUnknownActor(args.actor, context);
  const query = allRunsQuery(args);
  return readFrom(args.from ?? 0, (paging) => context.api.admin.listRuns({ query: { ...query, ...paging } }));
}

function allRunsMessage(found: Awaited<ReturnType<typeof listAllRuns>>, args: AllRunsSearch, { now }: Context) {
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

export const adminRuns = command({
  name: 'admin runs',
  title: 'List workflow runs',
  summary: 'List workflow runs of the whole forge, newest first',
  examples: ['admin runs', 'admin runs --status failure --branch main --actor grace'],
  fields: {
    status: flag(choices(filters, { label: 'Status' })),
    event: flag(text({ label: 'Trigger', placeholder: 'push', max: 100 })),
    branch: flag({ ...branch(), input: { kind: 'text', max: 255 } }),
    actor: flag(person({ label: 'Started by' })),
    sha: flag(text({ label: 'Commit', placeholder: 'sha', max: 64 })),
    from: offset(),
  },
  role: 'admin',
  risk: 'read',
  effect: 'read',
  operations: ['admin.listRuns', 'users.get'],
  needs: ['admin.listRuns'],
  plan: (args) => [request('admin.listRuns', { query: allRunsQuery(args) })],
  run: listAllRuns,
  reply: allRunsMessage,
});
