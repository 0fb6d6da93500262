import { asText, type Obj } from './json.js';
import type { Channel, Message, User, UserGroup, View } from './model.js';
import type { Workspace } from './workspace.js';

/** Our own model in Slack's format. */
export const userWire = (user: User, withEmail: boolean): Obj => ({
  id: user.id,
  team_id: user.teamId,
  name: user.name,
  deleted: user.deleted,
  real_name: user.realName,
  tz: user.tz,
  tz_offset: user.tzOffset,
  is_bot: user.isBot,
  is_restricted: user.guest,
  is_ultra_restricted: false,
  is_app_user: false,
  updated: 0,
  profile: {
    real_name: user.realName,
    display_name: user.name,
    status_text: user.status.text,
    status_emoji: user.status.emoji,
    status_expiration: 0,
    team: user.teamId,
    ...(withEmail && user.email !== undefined ? { email: user.email } : {}),
  },
});

export function channelWire(channel: Channel, space: Workspace): Obj {
  const { kind, id, name } = channel;
  const shared = channel.sharedWith.length > 0;
  const other = [...channel.members].find((member) => member !== space.bot.id);
  return {
    id,
    created: channel.created,
    is_archived: channel.archived,
    is_im: kind === 'im',
    is_mpim: kind === 'mpim',
    is_org_shared: false,
    context_team_id: space.team.id,
    ...(kind === 'im'
      ? { user: other ?? space.bot.id, is_user_deleted: space.users.get(other ?? '')?.deleted ?? false }
      : {
          name,
          name_normalized: name,
          is_channel: kind === 'public',
          is_group: kind === 'private',
          is_private: kind !== 'public',
          is_general: name === 'general',
          is_shared: shared,
          is_ext_shared: shared,
          is_pending_ext_shared: false,
          pending_shared: [],
          connected_team_ids: channel.sharedWith,
          shared_team_ids: [space.team.id, ...channel.sharedWith],
          is_member: channel.members.has(space.bot.id),
          num_members: channel.members.size,
          topic: { value: '', creator: '', last_set: 0 },
          purpose: { value: '', creator: '', last_set: 0 },
        }),
  };
}

export function messageWire(message: Message, space: Workspace, withMetadata = false): Obj {
  const replies = space.timeline.replies(message.channel, message.ts);
  return {
    type: 'message',
    ts: message.ts,
    user: message.user,
    team: space.users.get(message.user)?.teamId ?? space.team.id,
    text: message.text,
    ...(message.byBot
      ? {
          bot_id: space.botId,
          app_id: space.appId,
          bot_profile: { id: space.botId, app_id: space.appId, name: space.bot.name, deleted: false },
        }
      : {}),
    ...(message.blocks.length > 0 ? { blocks: message.blocks } : {}),
    ...(message.attachments.length > 0 ? { attachments: message.attachments } : {}),
    ...(message.edited === undefined ? {} : { edited: { user: message.user, ts: message.edited } }),
    ...(message.threadTs === undefined
      ? {}
      : { thread_ts: message.threadTs, parent_user_id: parentOf(message, space) }),
    ...(replies.length > 0 ? { thread_ts: message.ts, reply_count: replies.length, latest_reply: replies.at(-1) } : {}),
    ...(message.metadata === undefined
      ? {}
      : { metadata: withMetadata ? message.metadata : { event_type: asText(message.metadata['event_type']) } }),
  };
}

const parentOf = (message: Message, space: Workspace): string | undefined =>
  space.timeline.find(message.channel, message.threadTs ?? '')?.user;

const plain = (text: string): Obj => ({ type: 'plain_text', text, emoji: true });

export const viewWire = (view: View, space: Workspace): Obj => ({
  id: view.id,
  team_id: space.team.id,
  type: view.type,
  blocks: view.blocks,
  private_metadata: view.privateMetadata,
  callback_id: view.callbackId,
  state: { values: view.values },
  hash: view.hash,
  title: view.type === 'modal' ? plain(view.title) : null,
  submit: view.submit === undefined ? null : plain(view.submit),
  close: view.close === undefined ? null : plain(view.close),
  clear_on_close: view.clearOnClose,
  notify_on_close: view.notifyOnClose,
  root_view_id: view.rootId,
  previous_view_id: view.previousId ?? null,
  app_id: space.appId,
  external_id: view.externalId,
  app_installed_team_id: space.team.id,
  bot_id: space.botId,
});

export const groupWire = (group: UserGroup, space: Workspace, withUsers: boolean): Obj => ({
  id: group.id,
  team_id: space.team.id,
  is_usergroup: true,
  name: group.name,
  handle: group.handle,
  date_delete: 0,
  user_count: group.users.length,
  ...(withUsers ? { users: group.users } : {}),
});
