import { runButton } from '../../chat/actions.js';
import { command, type Sent } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { choice, flag, text, toggle } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { isAbsent } from '../../forge/possible.js';
import type { Repository } from '../../forge/schemas.js';
import { repositoryCard } from '../../view/cards/repository.js';
import { openButton } from '../../view/elements.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { isNew } from '../find.js';
import { lookUp, type NewName, newName } from './lookup.js';

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

const trustModels = ['default', 'collaborator', 'committer', 'collaboratorcommitter'] as const;

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

const planRepository = (args: NewRepository) => [request('repos.createInOrg', inputOf(args))];

async function createRepository(args: NewRepository, { api }: Context) {
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

async function findCreatedRepository({ repository }: NewRepository, { api }: Context, sent: Sent) {
  const found = await lookUp(repository, api);
  return found && isNew(found.created_at, sent) ? found : undefined;
}

function createdRepositoryMessage(
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

export const repoCreate = command({
  name: 'repo create',
  summary: 'Create a repository in an organization',
  examples: [
    'repo create acme/loom --private --init',
    'repo create acme/loom --description "Weaves patterns" --license MIT',
  ],
  fields: {
    repository: newName({ hint: 'An organization and the new name, such as acme/loom.' }),
    description: flag(text({ label: 'Description', max: 2048 })),
    private: toggle({ label: 'Private', text: 'Only members can see it' }),
    init: toggle({ label: 'First commit', text: 'Start with a README, license and .gitignore' }),
    branch: flag(text({ label: 'Default branch', placeholder: 'main', max: 100 })),
    license: flag(text({ label: 'License', placeholder: 'MIT', max: 100 })),
    gitignore: flag(text({ label: 'Gitignore', hint: 'Separate several with commas.', placeholder: 'Go,Node' })),
    readme: flag(text({ label: 'Readme template', placeholder: 'Default', max: 100 })),
    labels: flag(text({ label: 'Label set', placeholder: 'Default', max: 100 })),
    template: toggle({ label: 'Template', text: 'Let others create repositories from it' }),
    trust: flag(
      choice(trustModels, {
        label: 'Trusted signatures',
        labels: { collaboratorcommitter: 'Collaborator and committer' },
      }),
    ),
    format: flag(choice(['sha1', 'sha256'], { label: 'Object format', labels: { sha1: 'SHA-1', sha256: 'SHA-256' } })),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'once',
  operations: ['repos.createInOrg', 'repos.get', 'repos.search'],
  plan: planRepository,
  run: createRepository,
  findDone: findCreatedRepository,
  reply: createdRepositoryMessage,
});
