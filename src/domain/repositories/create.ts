import { runButton } from '../../chat/actions.js';
import type { Sent } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { isAbsent } from '../../forge/possible.js';
import type { Repository } from '../../forge/schemas/repository.js';
import { repositoryCard } from '../../view/cards/repository.js';
import { openButton } from '../../view/elements.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { isNew } from '../find-sent.js';
import { lookUp } from './lookup.js';
import type { NewName } from './new-name.js';

interface NewRepository {
  readonly repository: NewName;
  readonly description?: string | undefined;
  readonly private?: boolean | undefined;
  readonly init?: boolean | undefined;
  readonly branch?: string | undefined;
  readonly readme?: string | undefined;
  readonly license?: string | undefined;
  readonly gitignore?: string | undefined;
  readonly labels?: string | undefined;
  readonly template?: boolean | undefined;
  readonly trust?: (typeof trustModels)[number] | undefined;
  readonly format?: 'sha1' | 'sha256' | undefined;
}

export const trustModels = ['default', 'collaborator', 'committer', 'collaboratorcommitter'] as const;

const inputOf = ({ repository: { owner, name }, ...args }: NewRepository) => ({
  org: owner,
  body: {
    name,
    description: args.description,
    private: args.private,
    auto_init: args.init,
    default_branch: args.branch,
    readme: args.readme,
    license: args.license,
    gitignores: args.gitignore,
    issue_labels: args.labels,
    template: args.template,
    trust_model: args.trust,
    object_format_name: args.format,
  },
});

export const planRepository = (args: NewRepository) => [request('repos.createInOrg', inputOf(args))];

export async function createRepository(args: NewRepository, { api }: Context) {
  try {
    return await api.repos.createInOrg(inputOf(args));
  } catch (error) {
    if (!isAbsent(error)) throw error;
    const { owner } = args.repository;
    throw new UserError(`I can’t find the organization ${owner}. Repositories are created in organizations.`, {
      cause: error,
    });
  }
}

export async function findCreatedRepository({ repository }: NewRepository, { api }: Context, sent: Sent) {
  const found = await lookUp(repository, api);
  return found && isNew(found.created_at, sent) ? found : undefined;
}

export function createdRepositoryMessage(
  created: Repository,
  { repository: { owner, name } }: NewRepository,
  { now }: Context,
) {
  const args = { repository: { owner, repo: name } };
  return message({
    blocks: repositoryCard(created, {
      now,
      says: md`Created`,
      buttons: [openButton(created.html_url), runButton({ text: 'Use in this channel', command: 'repo use', args })],
    }),
  });
}
