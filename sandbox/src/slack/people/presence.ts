import type { Core } from '../core.js';
import type { Channel, Message, User, View } from '../model.js';
import { isMessage, type Target } from './payloads.js';

/** Someone who left the team no longer has a screen. */
export function active(user: User): User {
  if (user.deleted) throw new Error(`${user.name} is deactivated.`);
  return user;
}

/** Other teams see what is shared with them; the own team sees what is public or joined. */
function reaches(core: Core, user: User, channel: Channel): boolean {
  const joined = channel.members.has(user.id);
  if (channel.kind === 'im' || channel.kind === 'mpim') return joined;
  const known = user.teamId === core.space.team.id || channel.sharedWith.includes(user.teamId);
  return known && (joined || channel.kind === 'public');
}

/** A channel as this person may read it. */
export function inside(core: Core, user: User, where: string): Channel {
  const channel = core.space.channel(where);
  if (reaches(core, active(user), channel)) return channel;
  throw new Error(`${user.name} is not in ${channel.name}.`);
}

/** A channel one can write to; not an archived one. */
export function writing(core: Core, user: User, where: string): Channel {
  const channel = inside(core, user, where);
  if (channel.archived) throw new Error(`${channel.name} is archived; nobody can write there.`);
  return channel;
}

export function visible<T extends Target>(core: Core, user: User, target: T): T {
  const only = isMessage(target) ? target.onlyFor : target.user;
  if (only !== undefined && only !== active(user).id) throw new Error(`${user.name} does not see that.`);
  if (isMessage(target)) inside(core, user, target.channel);
  return target;
}

/** A message as it is now, not as it was when someone saw it. */
export function presentMessage(core: Core, user: User, { channel, ts, onlyFor }: Message): Message {
  const { timeline } = core.space;
  const found = onlyFor === undefined ? timeline.find(channel, ts) : timeline.findOnlyFor(onlyFor, ts);
  if (found === undefined) throw new Error(`That message is gone; ${user.name} cannot use it.`);
  return found;
}

function presentView(core: Core, user: User, { id }: View): View {
  const found = core.space.views.find((each) => each.id === id);
  if (found === undefined) throw new Error(`That view is closed; ${user.name} cannot use it.`);
  return found;
}

export function present(core: Core, user: User, target: Target): Target {
  visible(core, user, target);
  return isMessage(target) ? presentMessage(core, user, target) : presentView(core, user, target);
}
