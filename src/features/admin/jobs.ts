import { turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { choice, choices, flag, offset, readFrom, rows } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import type { RunFilter } from '../../forge/schemas.js';
import { section } from '../../view/blocks.js';
import { jobCard } from '../../view/cards/run.js';
import { message } from '../../view/message.js';
import { stretch } from '../../view/paging.js';
import { md } from '../../view/text.js';
import { filters } from './filters.js';

interface JobQuery {
  readonly status?: readonly RunFilter[] | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
}

// The server ignores an order without a sort.
const queryOf = ({ status, order = 'desc' }: JobQuery) => ({
  ...(status && { status: [...status] }),
  sort: 'id' as const,
  order,
});

export const adminJobs = command({
  name: 'admin jobs',
  title: 'List workflow jobs',
  summary: 'List workflow jobs of the whole forge, newest first',
  examples: ['admin jobs', 'admin jobs --status queued,in_progress --order asc'],
  fields: {
    status: flag(choices(filters, { label: 'Status' })),
    order: flag(choice(['desc', 'asc'], { label: 'Order', labels: { desc: 'Newest first', asc: 'Oldest first' } })),
    from: offset(),
  },
  role: 'admin',
  risk: 'read',
  effect: 'read',
  operations: ['admin.listJobs'],
  needs: ['admin.listJobs'],
  plan: (args) => [request('admin.listJobs', { query: queryOf(args) })],
  run: (args, { api }) =>
    readFrom(args.from ?? 0, (paging) => api.admin.listJobs({ query: { ...queryOf(args), ...paging } })),
  reply: (found, args, { now }) => {
    if (found.items.length === 0) return message({ blocks: [section(md`No matching jobs.`)] });
    return message({
      blocks: stretch(
        found,
        rows,
        (job) => jobCard(job, { now, style: 'row' }),
        (from) => turnButton({ text: 'Show more', command: 'admin jobs', args: { ...args, from } }),
      ),
    });
  },
});
