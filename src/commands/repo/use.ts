import { command } from '../../chat/command.js';
import { clearable, repository } from '../../chat/fields/index.js';
import type { Needed } from '../../chat/fields/make.js';
import type { WrittenRepository } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { defaultRepositoryMessage, setDefaultRepository, type Wanted } from '../../domain/repositories/use.js';

const typed = repository();
/** Without a name it is the channel's own, which this person may not be able to see. */
const typedOrOwn: Needed<WrittenRepository, Wanted> = {
  ...typed,
  resolve: async (written, context) => ({
    ...(await typed.resolve(written, context)),
    isOwn: written?.repo === undefined,
  }),
};

export const repoUse = command({
  name: 'repo use',
  title: 'Set default repository',
  aliases: ['use'],
  summary: 'Set this channel’s default repository',
  examples: ['repo use acme/engine', 'repo use none'],
  fields: { repository: clearable(typedOrOwn) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: ['repos.get', 'repos.search'],
  plan: ({ repository }) =>
    repository ? [request('repos.get', { owner: repository.owner, repo: repository.repo })] : [],
  run: setDefaultRepository,
  reply: defaultRepositoryMessage,
});
