import { command } from '../../chat/command.js';
import { request } from '../../chat/request.js';
import { listFields, searchOf } from '../issue/listing.js';
import { find, queryOf } from '../issue/query.js';
import { searchReply } from '../issue/search-reply.js';

export const prList = command({
  name: 'pr list',
  aliases: ['prs'],
  summary: 'List open pull requests',
  examples: ['pr list', 'pr list acme/engine', 'pr list acme/engine --state all --author me'],
  fields: listFields,
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['issues.search', 'repos.get'],
  plan: async (args, context) => [request('issues.search', { query: queryOf(await searchOf(args, 'pulls', context)) })],
  async run(args, context) {
    const search = await searchOf(args, 'pulls', context);
    return { search, found: await find(search, context) };
  },
  reply: ({ search, found }, _args, context) => searchReply(found, search, context),
});
