import { command } from '../../chat/command.js';
import { clearable, repository } from '../../chat/fields/index.js';
import { request } from '../../chat/request.js';
import { defaultRepositoryMessage, setDefaultRepository } from '../../domain/repositories/use.js';

export const repoUse = command({
  name: 'repo use',
  title: 'Set default repository',
  aliases: ['use'],
  summary: 'Set this channel’s default repository',
  examples: ['repo use acme/engine', 'repo use none'],
  fields: { repository: clearable(repository()) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: ['repos.get', 'repos.search'],
  plan: ({ repository }) => (repository ? [request('repos.get', repository)] : []),
  run: setDefaultRepository,
  reply: defaultRepositoryMessage,
});
