import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { clearable, repository } from '../../chat/fields/index.js';
import { fullName, type RepositoryRef, webAddress } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { possible } from '../../forge/possible.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { code, link, md } from '../../view/text.js';

/** As the forge spells it, with its id; by search where the server cannot read one repository. */
async function find({ owner, repo }: RepositoryRef, { api }: Context) {
  const found = await possible(api.repos.get({ owner, repo }));
  if (found) return found;
  const wanted = fullName({ owner, repo }).toLowerCase();
  for await (const each of api.repos.search.each({ query: { q: repo } }, { max: 500 })) {
    if (each.full_name.toLowerCase() === wanted) return each;
  }
  throw new UserError(`I can’t find ${owner}/${repo}, or you don’t have access to it.`);
}

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
  async run({ repository }, context) {
    const { channel, person, store } = context;
    if (channel === undefined) throw new UserError('Run this in the channel it is for.');
    const place = { team: person.team, channel };
    const found = repository ? await find(repository, context) : undefined;
    const [owner = '', name = ''] = found?.full_name.split('/') ?? [];
    await store.channels.setDefaultRepository(place, found && { id: found.id, owner, name });
    const only = found ? undefined : await store.channels.defaultRepository(place);
    return { used: found && { owner, repo: name }, only: only && { owner: only.owner, repo: only.name } };
  },
  reply({ used, only }, _args, { forge }) {
    const says = used
      ? md`This channel’s default repository is now ${link(webAddress(forge.web, { kind: 'repository', of: used }), fullName(used))}: ${code('#12')} means ${code(`${fullName(used)}#12`)} here.`
      : only
        ? md`Cleared this channel’s default repository. Its only subscription, ${fullName(only)}, is used instead.`
        : md`Cleared this channel’s default repository. Write ${code('owner/repo#12')} in full.`;
    return message({ blocks: doneCard({ says }) });
  },
});
