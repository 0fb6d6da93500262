import { command } from '../../chat/command.js';
import { choice, flag, optional, rest, text, toggle } from '../../chat/fields/index.js';
import { offset } from '../../chat/fields/offset.js';
import { foundRepositoriesMessage, planSearch, searchRepositories, sorts } from '../../domain/repositories/search.js';

export const repoSearch = command({
  name: 'repo search',
  summary: 'Search repositories',
  examples: [
    'repo search engine',
    'repo search --owner acme --sort updated --order desc',
    'repo search compute --topic',
  ],
  fields: {
    words: optional(rest({ label: 'Words' })),
    owner: flag(text({ label: 'Owner', hint: 'A person or an organization.', max: 100 })),
    kind: flag(choice(['source', 'fork', 'mirror', 'collaborative'], { label: 'Kind' })),
    visibility: flag(choice(['public', 'private'], { label: 'Visibility' })),
    archived: flag(choice(['yes', 'no'], { label: 'Archived' })),
    templates: flag(choice(['yes', 'no'], { label: 'Templates' })),
    topic: toggle({ label: 'Topics', text: 'Search topics only' }),
    descriptions: toggle({ label: 'Descriptions', text: 'Search descriptions too' }),
    sort: flag(choice(sorts, { label: 'Sort by', labels: { alpha: 'Name', lfs_size: 'LFS size', id: 'ID' } })),
    order: flag(choice(['asc', 'desc'], { label: 'Order', labels: { asc: 'Ascending', desc: 'Descending' } })),
    from: offset(),
  },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['repos.search', 'users.get'],
  plan: planSearch,
  run: searchRepositories,
  reply: foundRepositoriesMessage,
});
