import { listing } from './search.js';

export const issueList = listing('issues', {
  name: 'issue list',
  aliases: ['issues'],
  summary: 'List open issues',
  examples: ['issue list', 'issue list acme/engine', 'issue list acme/engine --state all --author me'],
});
