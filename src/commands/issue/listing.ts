import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { choice, flag, labels, optional, person, repository } from '../../chat/fields/index.js';
import { offset } from '../../chat/fields/offset.js';
import type { RepositoryRef } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { find, queryOf, type Search } from '../../domain/issues/query.js';
import { searchReply } from '../../domain/issues/search-reply.js';

/** The filters of a list; anything more is a search. */
const fields = {
  repository: optional(repository({ hint: 'Leave empty for this channel’s repository, or all of yours.' })),
  state: flag(choice(['open', 'closed', 'all'], { label: 'State' })),
  labels: flag(labels({ hint: 'Any of them.' })),
  author: flag(person({ label: 'Author' })),
  from: offset(),
};

interface Listed extends Pick<Search, 'state' | 'labels' | 'author' | 'from'> {
  readonly repository?: RepositoryRef | undefined;
}

/** The named repository, or the channel's own, or all. */
async function searchOf(
  { repository, ...listed }: Listed,
  type: 'issues' | 'pulls',
  { store, person, channel }: Context,
): Promise<Search> {
  const own =
    channel === undefined ? undefined : await store.channels.defaultRepository({ team: person.team, channel });
  const repo = repository ?? (own && { owner: own.owner, repo: own.name });
  return { ...listed, type, ...(repo && { repo }) };
}

interface Words {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly examples: readonly string[];
}

/** `issue list` and `pr list` are one command with two sets of texts. */
export const listing = (type: 'issues' | 'pulls', words: Words) =>
  command({
    ...words,
    fields,
    role: 'everyone',
    risk: 'read',
    effect: 'read',
    operations: ['issues.search', 'repos.get'],
    plan: async (args, context) => [request('issues.search', { query: queryOf(await searchOf(args, type, context)) })],
    async run(args, context) {
      const search = await searchOf(args, type, context);
      return { search, found: await find(search, context) };
    },
    reply: ({ search, found }, _args, context) => searchReply(found, search, context),
  });
