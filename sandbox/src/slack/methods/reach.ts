import type { Core } from '../core.js';
import type { Channel, ChannelKind } from '../model.js';
import { SlackError } from '../slack-error.js';
import { demand, type Token } from '../tokens.js';

const families: Record<ChannelKind, string> = { public: 'channels', private: 'groups', im: 'im', mpim: 'mpim' };

export const scopeFor = (kind: ChannelKind, right: 'read' | 'history' | 'write'): string =>
  `${families[kind]}:${right}`;

/** A channel visible to the bot: private ones it has not joined do not exist for it. */
export function known(core: Core, id: string): Channel {
  const channel = core.space.channels.get(id);
  if (channel === undefined) throw new SlackError('channel_not_found');
  if (channel.kind !== 'public' && !channel.members.has(core.space.bot.id)) throw new SlackError('channel_not_found');
  return channel;
}

/** Direct messages count as one place, whether by conversation or by person. */
export function paceOf(core: Core, id: string | undefined): string | undefined {
  const channel = core.space.channels.get(id ?? '');
  if (channel?.kind !== 'im') return id;
  return [...channel.members].find((member) => member !== core.space.bot.id) ?? id;
}

/** Where a post may go: a channel id, or a person's id for their direct messages. */
export function writable(core: Core, token: Token, id: string): Channel {
  const person = core.space.users.get(id);
  if (person !== undefined) {
    if (person.isBot) throw new SlackError('cannot_dm_bot');
    if (person.deleted || person.teamId !== core.space.team.id) throw new SlackError('channel_not_found');
    return core.space.dm(person.id);
  }
  const channel = known(core, id);
  if (channel.archived) throw new SlackError('is_archived');
  const joined = channel.members.has(core.space.bot.id);
  if (!joined && !token.scopes.includes('chat:write.public')) throw new SlackError('not_in_channel');
  return channel;
}

export function readable(core: Core, token: Token, id: string): Channel {
  const channel = known(core, id);
  demand(token, scopeFor(channel.kind, 'history'));
  if (!channel.members.has(core.space.bot.id)) throw new SlackError('not_in_channel');
  return channel;
}
