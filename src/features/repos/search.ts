import { turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { choice, flag, offset, optional, readFrom, rest, text, toggle } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { possible } from '../../forge/possible.js';
import { md } from '../../view/text.js';
import { repositoryList } from './lookup.js';

interface RepositorySearch {
  readonly words?: string | undefined;
  readonly owner?: string | undefined;
  readonly kind?: 'source' | 'fork' | 'mirror' | 'collaborative' | undefined;
  readonly visibility?: 'public' | 'private' | undefined;
  readonly archived?: 'yes' | 'no' | undefined;
  readonly templates?: 'yes' | 'no' | undefined;
  readonly topic?: boolean | undefined;
  readonly descriptions?: boolean | undefined;
  readonly sort?: (typeof sorts)[number] | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  readonly from?: number | undefined;
}

const sorts = ['alpha', 'created', 'updated', 'size', 'git_size', 'lfs_size', 'stars', 'forks', 'id'] as const;

const yes = (answer: 'yes' | 'no' | undefined) => answer && answer === 'yes';

const queryOf = (args: RepositorySearch, uid?: number) => ({
  q: args.words,
  mode: args.kind,
  is_private: args.visibility && args.visibility === 'private',
  archived: yes(args.archived),
  template: yes(args.templates),
  topic: args.topic || undefined,
  includeDesc: args.descriptions || undefined,
  // The server ignores an order without a sort.
  sort: args.sort ?? (args.order === undefined ? undefined : ('alpha' as const)),
  order: args.order,
  ...(uid === undefined ? {} : { uid, exclusive: true }),
});

/** The search takes owners by id only. */
async function ownerId(owner: string | undefined, { api }: Context): Promise<number | undefined> {
  if (owner === undefined) return undefined;
  const found = await possible(api.users.get({ username: owner }));
  if (!found) throw new UserError('This forge cannot search by owner. Leave out --owner.');
  return found.id;
}

const planSearch = (args: RepositorySearch) => [request('repos.search', { query: queryOf(args) })];

async function searchRepositories(args: RepositorySearch, context: Context) {
  const query = queryOf(args, await ownerId(args.owner, context));
  return readFrom(args.from ?? 0, (paging) => context.api.repos.search({ query: { ...query, ...paging } }));
}

const foundRepositoriesMessage = (
  found: Awaited<ReturnType<typeof searchRepositories>>,
  args: RepositorySearch,
  context: Context,
) =>
  repositoryList(
    found,
    md`No matching repositories.`,
    (from) => turnButton({ text: 'Show more', command: 'repo search', args: { ...args, from } }),
    context,
  );

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
