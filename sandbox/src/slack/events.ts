import type { Core } from './core.js';
import { asText, type Obj } from './json.js';
import { scopeFor } from './methods/reach.js';
import type { Channel, User } from './model.js';
import type { Ack } from './records.js';
import { userWire } from './wire.js';

const unsubscribed: Ack = { outcome: 'acked', payload: undefined, tookMs: 0 };

/** `message` is subscribed by kind of channel; every other event by its own name. */
const subscription = (core: Core, event: Obj): string => {
  if (event['type'] !== 'message') return asText(event['type']);
  const kinds = { public: 'channels', private: 'groups', im: 'im', mpim: 'mpim' };
  return `message.${kinds[core.space.channels.get(asText(event['channel']))?.kind ?? 'public']}`;
};

/** Events are only sent if the app subscribed to them. */
export function emit(core: Core, event: Obj): Promise<Ack> {
  const { events } = core.app;
  if (events !== undefined && !events.includes(subscription(core, event))) return Promise.resolve(unsubscribed);
  const { team, bot, appId } = core.space;
  const now = core.now();
  const channel = core.space.channels.get(asText(event['channel']));
  return core.courier.event({
    token: 'sandbox',
    team_id: team.id,
    context_team_id: team.id,
    context_enterprise_id: null,
    api_app_id: appId,
    event: { event_ts: core.ids.ts(now), ...event },
    type: 'event_callback',
    event_id: core.ids.next('Ev'),
    event_time: Math.floor(now / 1000),
    authorizations: [
      { enterprise_id: null, team_id: team.id, user_id: bot.id, is_bot: true, is_enterprise_install: false },
    ],
    is_ext_shared_channel: (channel?.sharedWith.length ?? 0) > 0,
    event_context: `4-${core.ids.secret()}`,
  });
}

/** Messages are only sent to apps that may read the channel's history. */
export function emitMessage(core: Core, channel: Channel, event: Obj): Promise<Ack> {
  const reads = core.app.scopes.includes(scopeFor(channel.kind, 'history'));
  if (!reads || !channel.members.has(core.space.bot.id)) return Promise.resolve(unsubscribed);
  const channelType = { public: 'channel', private: 'group', im: 'im', mpim: 'mpim' }[channel.kind];
  return emit(core, { type: 'message', channel: channel.id, channel_type: channelType, ...event });
}

export const changedUser = (core: Core, user: User): Obj =>
  userWire(user, core.app.scopes.includes('users:read.email'));
