import { command } from '../../chat/command.js';
import { choice, flag, text, toggle } from '../../chat/fields/index.js';
import {
  createdRepositoryMessage,
  createRepository,
  findCreatedRepository,
  planRepository,
  trustModels,
} from '../../domain/repositories/create.js';
import { newName } from '../../domain/repositories/new-name.js';

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
