import type { Core } from '../core.js';
import { emitMessage } from '../events.js';
import type { Message, User } from '../model.js';
import { messageWire } from '../wire.js';
import { asTyped } from './typed.js';

function own(core: Core, user: User, { channel, ts }: Message): Message {
  const found = core.space.timeline.find(channel, ts);
  if (found === undefined || found.user !== user.id) throw new Error(`${user.name} wrote no such message.`);
  return found;
}

/** The app gets both versions. */
export async function edit(core: Core, user: User, message: Message, text: string): Promise<Message> {
  const before = own(core, user, message);
  const edited = core.ids.ts(core.now());
  const after = core.space.timeline.change(before, { text: asTyped(core.space, text, 'message'), edited });
  await emitMessage(core, core.space.channel(before.channel), {
    subtype: 'message_changed',
    hidden: true,
    ts: edited,
    message: messageWire(after, core.space),
    previous_message: messageWire(before, core.space),
  });
  return after;
}

export async function remove(core: Core, user: User, message: Message): Promise<void> {
  const before = own(core, user, message);
  core.space.timeline.remove(before);
  await emitMessage(core, core.space.channel(before.channel), {
    subtype: 'message_deleted',
    hidden: true,
    ts: core.ids.ts(core.now()),
    deleted_ts: before.ts,
    previous_message: messageWire(before, core.space),
  });
}
