import { own } from '../json.js';
import type { Channel, ChannelKind } from '../model.js';
import { SlackError } from '../slack-error.js';
import { demand } from '../tokens.js';
import { channelWire } from '../wire.js';
import type { Method, MethodCall } from './method.js';
import { nextCursor, page } from './paging.js';
import { known, scopeFor } from './reach.js';

const seen = ({ core, args, token }: MethodCall): Channel => {
  const channel = known(core, args.required('channel', 'channel_not_found'));
  demand(token, scopeFor(channel.kind, 'read'));
  return channel;
};

const names: Record<string, ChannelKind> = {
  public_channel: 'public',
  private_channel: 'private',
  im: 'im',
  mpim: 'mpim',
};

/** Only the requested kinds, each with its own scope. */
function ofKinds({ core, args, token }: MethodCall): Channel[] {
  const kinds = (args.text('types') ?? 'public_channel').split(',').map((name) => {
    const kind = own(names, name.trim());
    if (kind === undefined) throw new SlackError('invalid_types');
    demand(token, scopeFor(kind, 'read'));
    return kind;
  });
  return [...core.space.channels.values()].filter(
    (channel) =>
      kinds.includes(channel.kind) &&
      (channel.kind === 'public' || channel.members.has(core.space.bot.id)) &&
      !(args.flag('exclude_archived') && channel.archived),
  );
}

export const conversations: Record<string, Method> = {
  'conversations.info': {
    tier: 'three',
    run: (call) => ({ channel: channelWire(seen(call), call.core.space) }),
  },
  'conversations.members': {
    tier: 'four',
    run: (call) => {
      const { items, next } = page([...seen(call).members], call.args);
      return { members: items, ...nextCursor(next) };
    },
  },
  'conversations.list': {
    tier: 'two',
    run: (call) => {
      const { items, next } = page(ofKinds(call), call.args);
      return { channels: items.map((each) => channelWire(each, call.core.space)), ...nextCursor(next) };
    },
  },
  'users.conversations': {
    tier: 'three',
    run: (call) => {
      const user = call.args.text('user') ?? call.core.space.bot.id;
      const { items, next } = page(
        ofKinds(call).filter((channel) => channel.members.has(user)),
        call.args,
      );
      // Slack leaves membership out of this list
      const rows = items.map((each) => ({ ...channelWire(each, call.core.space), is_member: undefined }));
      return { channels: rows, ...nextCursor(next) };
    },
  },
  'conversations.open': {
    tier: 'three',
    run: ({ core, args, token }) => {
      const people = (args.text('users') ?? '').split(',').filter((id) => id !== '');
      if (people.length === 0) throw new SlackError('users_list_not_supplied');
      demand(token, scopeFor(people.length > 1 ? 'mpim' : 'im', 'write'));
      for (const id of people) {
        const user = core.space.users.get(id);
        if (user === undefined) throw new SlackError('user_not_found');
        if (user.deleted) throw new SlackError('user_disabled');
        if (user.isBot) throw new SlackError('cannot_dm_bot');
      }
      const channel = core.space.direct([...people, core.space.bot.id]);
      return { channel: args.flag('return_im') ? channelWire(channel, core.space) : { id: channel.id } };
    },
  },
  'conversations.join': {
    tier: 'three',
    scope: 'channels:join',
    run: ({ core, args }) => {
      const channel = known(core, args.required('channel', 'channel_not_found'));
      if (channel.archived) throw new SlackError('is_archived');
      if (channel.kind !== 'public') throw new SlackError('method_not_supported_for_channel_type');
      channel.members.add(core.space.bot.id);
      core.changes.tell({ kind: 'channel', channel: channel.id });
      return { channel: channelWire(channel, core.space) };
    },
  },
};
