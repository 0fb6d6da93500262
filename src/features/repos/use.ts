import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { clearable, type Needed, repository } from '../../chat/fields.js';
import { fullName, type RepositoryRef, type WrittenRepository, webAddress } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { exposure } from '../../feed/exposure.js';
import { isHidden } from '../../forge/index.js';
import type { Repository } from '../../forge/schemas.js';
import { splitFullName } from '../../full-name.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { code, link, md } from '../../view/text.js';
import { lookUp } from './lookup.js';

/** As typed, or the channel's own. */
interface NamedRepository extends RepositoryRef {
  readonly isOwn: boolean;
}

/** As the forge spells it, with its id. */
async function find({ owner, repo, isOwn }: NamedRepository, { api }: Context) {
  const found = await lookUp({ owner, name: repo }, api);
  if (found) return found;
  if (isOwn)
    throw new UserError(
      'You can’t see this channel’s default repository, or it no longer exists. To use another one, run /forge repo use owner/repo.',
    );
  throw new UserError(`I can’t find ${owner}/${repo}, or you don’t have access to it.`);
}

/** Everyone in the channel reads its name. A public one in a channel Slack does not describe shows nothing new. */
async function refuseExposed(found: Repository, channel: string, { slack, person, policy }: Context) {
  const hidden = isHidden(found);
  const facts = await slack.channel(channel, person.user);
  if (!facts && !hidden) return;
  const verdict = exposure({ hidden }, facts, policy.exposure);
  if (!verdict.allowed) throw new UserError(`${found.full_name}: ${verdict.words}`);
}

async function setDefaultRepository({ repository }: { readonly repository: NamedRepository | null }, context: Context) {
  const { channel, person, store } = context;
  if (channel === undefined) throw new UserError('Run this in the channel it is for.');
  const place = { team: person.team, channel };
  const found = repository ? await find(repository, context) : undefined;
  if (found) await refuseExposed(found, channel, context);
  const used = found && splitFullName(found.full_name);
  await store.channels.setDefaultRepository(
    place,
    found && used && { id: found.id, owner: used.owner, name: used.repo },
  );
  const only = found ? undefined : await store.channels.defaultRepository(place);
  return { used, only: only && { owner: only.owner, repo: only.name } };
}

function defaultRepositoryMessage(
  { used, only }: Awaited<ReturnType<typeof setDefaultRepository>>,
  _args: unknown,
  { forge }: Context,
) {
  const says = used
    ? md`This channel’s default repository is now ${link(webAddress(forge.web, { kind: 'repository', of: used }), fullName(used))}: ${code('#12')} means ${code(`${fullName(used)}#12`)} here.`
    : only
      ? md`Cleared this channel’s default repository. Its only subscription, ${fullName(only)}, is used instead.`
      : md`Cleared this channel’s default repository. Write ${code('owner/repo#12')} in full.`;
  return message({ blocks: doneCard({ says }) });
}

const typed = repository();
/** Without a name it is the channel's own, which this person may not be able to see. */
const typedOrOwn: Needed<WrittenRepository, NamedRepository> = {
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
