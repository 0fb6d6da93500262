import { command } from '../../chat/command.js';
import { request } from '../../chat/request.js';
import { listFields, searchOf } from './listing.js';
import { find, queryOf } from './query.js';
import { searchReply } from './search-reply.js';

export const issueList = command({
  name: 'issue list',
  aliases: ['issues'],
  summary: 'List open issues',
  examples: ['issue list', 'issue list acme/engine', 'issue list acme/engine --state all --author me'],
  fields: listFields,
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['issues.search', 'repos.get'],
  plan: async (args, context) => [
    request('issues.search', { query: queryOf(await searchOf(args, 'issues', context)) }),
  ],
  async run(args, context) {
    const search = await searchOf(args, 'issues', context);
    return { search, found: await find(search, context) };
  },
  reply: ({ search, found }, _args, context) => searchReply(found, search, context),
});
