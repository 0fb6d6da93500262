import type { Context } from '../../chat/context.js';
import { fullName, type RepositoryRef, webAddress } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import { exposure } from '../../feed/exposure.js';
import { isHidden } from '../../forge/index.js';
import type { Repository } from '../../forge/schemas/repository.js';
import { splitFullName } from '../../full-name.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { code, link, md } from '../../view/text.js';
import { lookUp } from './lookup.js';

/** As typed, or the channel's own. */
export interface Wanted extends RepositoryRef {
  readonly isOwn: boolean;
}

/** As the forge spells it, with its id. */
async function find({ owner, repo, isOwn }: Wanted, { api }: Context) {
  const found = await lookUp({ owner, name: repo }, api);
  if (found) return found;
  if (isOwn)
    throw new UserError(
      'You can’t see this channel’s default repository, or it no longer exists. To use another one, run /forge repo use owner/repo.',
    );
  throw new UserError(`I can’t find ${owner}/${repo}, or you don’t have access to it.`);
}

/** Everyone in the channel reads its name. A public one in a channel Slack does not describe shows nothing new. */
async function refuseExposed(found: Repository, channel: string, { slack, person, exposure: policy }: Context) {
  const hidden = isHidden(found);
  const facts = await slack.channel(channel, person.user);
  if (!facts && !hidden) return;
  const verdict = exposure({ hidden }, facts, policy);
  if (!verdict.allowed) throw new UserError(`${found.full_name}: ${verdict.words}`);
}

export async function setDefaultRepository({ repository }: { readonly repository: Wanted | null }, context: Context) {
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

export function defaultRepositoryMessage(
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
