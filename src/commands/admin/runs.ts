import { command } from '../../chat/command.js';
import { branch, choices, flag, person, text } from '../../chat/fields/index.js';
import { offset } from '../../chat/fields/offset.js';
import { request } from '../../chat/request.js';
import { allRunsMessage, allRunsQuery, listAllRuns } from '../../domain/runs/list-all.js';
import { filters } from './filters.js';

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
