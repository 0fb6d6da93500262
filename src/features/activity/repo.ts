import { turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { date, flag, offset, readFrom, repository } from '../../chat/fields.js';
import { fullName } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { bold, md } from '../../view/text.js';
import { feedMessage } from './list.js';

export const feedRepo = command({
  name: 'feed repo',
  title: 'Show activity',
  summary: 'Show recent activity in a repository',
  examples: ['feed repo acme/engine', 'feed repo acme/engine --date yesterday'],
  fields: {
    repository: repository(),
    date: flag(date({ label: 'Day', hint: 'In the forge’s time zone.', past: true })),
    from: offset(),
  },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['activity.repoFeed'],
  plan: ({ repository, date }) => [request('activity.repoFeed', { ...repository, query: { date } })],
  run: ({ repository, date, from }, { api }) =>
    readFrom(from ?? 0, (paging) => api.activity.repoFeed({ ...repository, query: { date, ...paging } })),
  reply: (found, args, context) =>
    feedMessage(
      md`Activity in ${bold(fullName(args.repository))}`,
      found,
      (from) => turnButton({ text: 'Show more', command: 'feed repo', args: { ...args, from } }),
      context,
    ),
});
