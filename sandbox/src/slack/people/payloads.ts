import type { Core } from '../core.js';
import type { Obj } from '../json.js';
import type { Channel, Message, User, View } from '../model.js';
import { messageWire, viewWire } from '../wire.js';

/** Outside public channels Slack does not send the name. */
const channelName = ({ kind, name }: Channel): string =>
  ({ public: name, private: 'privategroup', im: 'directmessage', mpim: 'mpdm' })[kind];

export const channelRef = (channel: Channel): Obj => ({ id: channel.id, name: channelName(channel) });

const teamOf = (core: Core, user: User): Obj =>
  user.teamId === core.space.team.id
    ? { id: core.space.team.id, domain: core.space.team.domain }
    : { id: user.teamId, domain: user.teamId.toLowerCase() };

/** What every interaction says about who did it and where. */
export const interaction = (core: Core, user: User, type: string): Obj => ({
  type,
  token: 'sandbox',
  api_app_id: core.space.appId,
  team: teamOf(core, user),
  user: { id: user.id, username: user.name, name: user.name, team_id: user.teamId },
  enterprise: null,
  is_enterprise_install: false,
});

export function command(core: Core, user: User, channel: Channel, name: string, text: string): Obj {
  return {
    token: 'sandbox',
    team_id: user.teamId,
    team_domain: core.space.team.domain,
    channel_id: channel.id,
    channel_name: channelName(channel),
    user_id: user.id,
    user_name: user.name,
    command: name,
    text,
    api_app_id: core.space.appId,
    is_enterprise_install: 'false',
    response_url: core.responseUrls.issue('commands', { channel: channel.id, user: user.id }),
    trigger_id: core.triggers.issue(user.id),
  };
}

export type Target = Message | View;

export const isMessage = (target: Target): target is Message => 'ts' in target;

/** Where a control is: in a message for everyone or one person, or in a view. */
export function place(core: Core, user: User, target: Target): Obj {
  if (!isMessage(target)) {
    return { container: { type: 'view', view_id: target.id }, view: viewWire(target, core.space) };
  }
  const channel = core.space.channel(target.channel);
  const ephemeral = target.onlyFor !== undefined;
  const container = {
    type: 'message',
    message_ts: target.ts,
    channel_id: target.channel,
    is_ephemeral: ephemeral,
    ...(target.threadTs === undefined ? {} : { thread_ts: target.threadTs }),
  };
  return {
    container,
    channel: channelRef(channel),
    // Slack does not return an ephemeral message
    ...(ephemeral ? {} : { message: messageWire(target, core.space, true) }),
    response_url: core.responseUrls.issue('actions', {
      channel: target.channel,
      user: user.id,
      threadTs: target.threadTs,
      original: { ts: target.ts, onlyFor: target.onlyFor },
    }),
  };
}
