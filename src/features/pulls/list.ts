import { listing } from '../issues/search.js';

export const prList = listing('pulls', {
  name: 'pr list',
  aliases: ['prs'],
  summary: 'List open pull requests',
  examples: ['pr list', 'pr list acme/engine', 'pr list acme/engine --state all --author me'],
});
