import type { Core } from '../core.js';
import type { Obj } from '../json.js';
import type { Message, User } from '../model.js';
import { messageWire } from '../wire.js';
import { channelRef, interaction } from './payloads.js';
import { type Reply, replyOf } from './reply.js';

const called = (core: Core, user: User, type: string, callbackId: string): Obj => ({
  ...interaction(core, user, type),
  callback_id: callbackId,
  trigger_id: core.triggers.issue(user.id),
  action_ts: core.ids.ts(core.now()),
});

export async function shortcut(core: Core, user: User, callbackId: string): Promise<Reply> {
  return replyOf(await core.courier.deliver('interactive', called(core, user, 'shortcut', callbackId), false));
}

/** A message shortcut includes the message. */
export async function messageShortcut(core: Core, user: User, callbackId: string, message: Message): Promise<Reply> {
  const origin = { channel: message.channel, user: user.id, threadTs: message.threadTs };
  const payload = {
    ...called(core, user, 'message_action', callbackId),
    response_url: core.responseUrls.issue('actions', origin),
    message_ts: message.ts,
    channel: channelRef(core.space.channel(message.channel)),
    message: messageWire(message, core.space),
  };
  return replyOf(await core.courier.deliver('interactive', payload, false));
}
