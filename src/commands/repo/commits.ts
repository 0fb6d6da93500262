import { command } from '../../chat/command.js';
import { date, flag, repository, text } from '../../chat/fields/index.js';
import { offset } from '../../chat/fields/offset.js';
import { commitsMessage, listCommits, planCommits } from '../../domain/repositories/commits.js';

export const repoCommits = command({
  name: 'repo commits',
  title: 'List commits',
  summary: 'List the latest commits of a repository',
  examples: [
    'repo commits acme/engine',
    'repo commits acme/engine --branch release/1.0 --without main',
    'repo commits acme/engine --path src/gear.go --since 2026-01-01',
  ],
  fields: {
    repository: repository(),
    branch: flag(
      text({ label: 'Branch, tag or commit', hint: 'Leave empty for the default branch.', placeholder: 'branch' }),
    ),
    path: flag(text({ label: 'File or folder', placeholder: 'path', max: 1000 })),
    since: flag(date({ label: 'Since', past: true })),
    until: flag(date({ label: 'Until', past: true })),
    without: flag(text({ label: 'Not in', placeholder: 'branch' })),
    from: offset(),
  },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['repos.listCommits'],
  plan: planCommits,
  run: listCommits,
  reply: commitsMessage,
});
