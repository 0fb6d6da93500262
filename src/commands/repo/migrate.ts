import { command } from '../../chat/command.js';
import { hidden } from '../../chat/fields/hidden.js';
import { address, choice, choices, flag, number, optional, secret, text, toggle } from '../../chat/fields/index.js';
import { findMigrated, migratedMessage, migrateRepository } from '../../domain/repositories/migrate.js';
import { parts, planOf, services } from '../../domain/repositories/migrate-body.js';
import { newName } from '../../domain/repositories/new-name.js';

/** Names that are not the word with a capital letter. */
const serviceNames = {
  github: 'GitHub',
  gitlab: 'GitLab',
  onedev: 'OneDev',
  gitbucket: 'GitBucket',
  codecommit: 'CodeCommit',
} as const;

export const repoMigrate = command({
  name: 'repo migrate',
  title: 'Import repository',
  summary: 'Import a repository from another server',
  examples: [
    'repo migrate https://example.org/ada/loom.git acme/loom',
    'repo migrate https://example.org/ada/loom acme/loom --service gitea --with issues,labels,wiki --private',
  ],
  fields: {
    address: address({ label: 'Address to import from' }),
    repository: newName({ label: 'New owner and name' }),
    service: flag(
      choice(services, {
        label: 'Server type',
        labels: serviceNames,
        hint: 'Leave empty for Git, which imports only the code.',
      }),
    ),
    with: flag(choices(parts, { label: 'Also import', labels: { pulls: 'Pull requests', lfs: 'LFS' } })),
    private: toggle({
      label: 'Private',
      text: 'Only members can see it; the default for a private source',
    }),
    public: toggle({ label: 'Public', text: 'Make it public even if the source is private' }),
    mirror: toggle({ label: 'Mirror', text: 'Keep in sync with the source' }),
    every: flag(text({ label: 'Mirror interval', placeholder: '8h', max: 20 })),
    description: flag(text({ label: 'Description', max: 2048 })),
    lfsEndpoint: flag(text({ label: 'LFS address', placeholder: 'address', max: 1000 })),
    login: flag(text({ label: 'Login at the source', placeholder: 'login', max: 255 })),
    password: optional(secret({ label: 'Password at the source' })),
    token: optional(secret({ label: 'Access token of the source' })),
    accessKey: optional(secret({ label: 'Access key ID', hint: 'For CodeCommit only.' })),
    secretKey: optional(secret({ label: 'Secret access key', hint: 'For CodeCommit only.' })),
    leftover: hidden(number({ label: 'Leftover' })),
  },
  role: 'maintainer',
  risk: 'write',
  effect: 'once',
  operations: ['repos.migrate', 'repos.get', 'repos.search', 'repos.delete'],
  plan: planOf,
  run: migrateRepository,
  findDone: findMigrated,
  reply: migratedMessage,
});
