import { type Content, checkMatch, isBlank, readContent, tooLarge } from '../content.js';
import type { Obj } from '../json.js';
import type { Message } from '../model.js';
import { sizes } from '../rules/limits.js';
import { SlackError } from '../slack-error.js';
import { messageWire } from '../wire.js';
import type { Method, MethodCall } from './method.js';
import { known, writable } from './reach.js';

/** A reply to a reply belongs to the thread's first message. */
function threadOf({ core, args }: MethodCall, channel: string): string | undefined {
  const ts = args.text('thread_ts');
  if (ts === undefined || ts === '') return undefined;
  const parent = core.space.timeline.find(channel, ts);
  if (parent === undefined) throw new SlackError('thread_not_found');
  if (parent.threadTs !== undefined) core.failures.note('protocol', `thread_ts ${ts} is a reply, not a thread`);
  return parent.threadTs ?? ts;
}

/** The bot's own messages, wherever they are. */
function byBot({ core }: MethodCall, content: Content) {
  if (isBlank(content)) throw new SlackError('no_text');
  const { text, blocks = [], attachments = [] } = content;
  return { user: core.space.bot.id, byBot: true, text, blocks, attachments };
}

function post(call: MethodCall): Obj {
  const { core, args, token } = call;
  const channel = writable(core, token, args.required('channel', 'channel_not_found'));
  const content = readContent(core, args, 'chat.postMessage');
  const message = core.space.timeline.add({
    ...byBot(call, content),
    metadata: content.metadata,
    channel: channel.id,
    threadTs: threadOf(call, channel.id),
    broadcast: args.flag('reply_broadcast'),
  });
  return { channel: channel.id, ts: message.ts, message: messageWire(message, core.space, true) };
}

function own({ core, args }: MethodCall, refused: string): Message {
  const channel = known(core, args.required('channel', 'channel_not_found'));
  const message = core.space.timeline.find(channel.id, args.required('ts', 'message_not_found'));
  if (message === undefined) throw new SlackError('message_not_found');
  if (!message.byBot) throw new SlackError(refused);
  if (channel.archived) throw new SlackError('is_archived');
  return message;
}

function update(call: MethodCall): Obj {
  const { core, args } = call;
  const message = own(call, 'cant_update_message');
  const content = readContent(core, args, 'chat.update');
  if ((args.text('text') ?? '').length > sizes.updateText) throw tooLarge(core, 'chat.update', 'msg_too_long');
  if (isBlank(content) && content.blocks === undefined && content.attachments === undefined) {
    throw new SlackError('no_text');
  }
  checkMatch(message.blocks, content.blocks);
  const changed = core.space.timeline.change(message, {
    text: args.has('text') || args.has('markdown_text') ? content.text : message.text,
    blocks: content.blocks ?? message.blocks,
    attachments: content.attachments ?? message.attachments,
    metadata: content.metadata ?? message.metadata,
    edited: core.ids.ts(core.now()),
  });
  const { channel, ts, text } = changed;
  return { channel, ts, text, message: messageWire(changed, core.space, true) };
}

function remove(call: MethodCall): Obj {
  const message = own(call, 'cant_delete_message');
  call.core.space.timeline.remove(message);
  return { channel: message.channel, ts: message.ts };
}

function ephemeral(call: MethodCall): Obj {
  const { core, args } = call;
  const channel = known(core, args.required('channel', 'channel_not_found'));
  if (!channel.members.has(core.space.bot.id)) throw new SlackError('not_in_channel');
  if (channel.archived) throw new SlackError('is_archived');
  const user = args.required('user', 'invalid_arguments');
  if (!channel.members.has(user)) throw new SlackError('user_not_in_channel');
  const message = core.space.timeline.add({
    ...byBot(call, readContent(core, args, 'chat.postEphemeral')),
    channel: channel.id,
    threadTs: args.text('thread_ts'),
    onlyFor: user,
  });
  return { message_ts: message.ts };
}

function permalink({ core, args }: MethodCall): Obj {
  const channel = known(core, args.required('channel', 'channel_not_found'));
  const message = core.space.timeline.find(channel.id, args.required('message_ts', 'message_not_found'));
  if (message === undefined) throw new SlackError('message_not_found');
  const base = `https://${core.space.team.domain}.slack.com/archives/${channel.id}/p${message.ts.replace('.', '')}`;
  const thread = message.threadTs === undefined ? '' : `?thread_ts=${message.threadTs}&cid=${channel.id}`;
  return { channel: channel.id, permalink: base + thread };
}

export const chat: Record<string, Method> = {
  'chat.postMessage': { tier: 'special', scope: 'chat:write', run: post },
  'chat.update': { tier: 'three', scope: 'chat:write', run: update },
  'chat.delete': { tier: 'three', scope: 'chat:write', run: remove },
  'chat.postEphemeral': { tier: 'four', scope: 'chat:write', run: ephemeral },
  'chat.getPermalink': { tier: 'special', run: permalink },
};
