import { command } from '../../chat/command.js';
import { request } from '../../chat/request.js';
import { find, queryOf, searchFields } from '../../domain/issues/query.js';
import { searchReply } from '../../domain/issues/search-reply.js';

export const issueSearch = command({
  name: 'issue search',
  aliases: ['search'],
  summary: 'Search issues and pull requests in all your repositories',
  examples: [
    'issue search leaking pipe',
    'issue search --repo acme/engine --labels bug,urgent --state all',
    'issue search --assigned --type issues',
  ],
  fields: searchFields,
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['issues.search', 'repos.get', 'users.get'],
  plan: (args) => [request('issues.search', { query: queryOf(args) })],
  run: (args, context) => find(args, context),
  reply: searchReply,
});
