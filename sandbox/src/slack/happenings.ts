import type { Core } from './core.js';
import { changedUser, emit, emitMessage } from './events.js';
import type { Obj } from './json.js';
import type { Channel } from './model.js';
import type { Ack } from './records.js';
import type { SeedUser } from './settings.js';

/** Changes in a team apart from messages; each notifies the app like Slack. */
export class Happenings {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** A raw event, for those that no person here can cause. */
  anything(event: Obj): Promise<Ack> {
    return emit(this.#core, event);
  }

  share(channel: string, teamId: string): Promise<Ack> {
    const found = this.#change(channel, (each) => each.sharedWith.push(teamId));
    return emit(this.#core, { type: 'channel_shared', channel: found.id, connected_team_id: teamId });
  }

  unshare(channel: string, teamId: string): Promise<Ack> {
    const found = this.#change(channel, (each) => {
      each.sharedWith = each.sharedWith.filter((id) => id !== teamId);
    });
    return emit(this.#core, {
      type: 'channel_unshared',
      channel: found.id,
      previously_connected_team_id: teamId,
      is_ext_shared: found.sharedWith.length > 0,
    });
  }

  archive(channel: string, by: string, archived = true): Promise<Ack> {
    const found = this.#change(channel, (each) => {
      each.archived = archived;
    });
    const family = found.kind === 'public' ? 'channel' : 'group';
    const type = `${family}_${archived ? 'archive' : 'unarchive'}`;
    return emit(this.#core, { type, channel: found.id, user: this.#core.space.user(by).id });
  }

  rename(channel: string, name: string): Promise<Ack> {
    const found = this.#change(channel, (each) => {
      each.name = name;
    });
    const type = found.kind === 'public' ? 'channel_rename' : 'group_rename';
    return emit(this.#core, { type, channel: { id: found.id, name, created: found.created } });
  }

  /** Slack announces it only by a message in the channel, so without history scopes an app does not notice. */
  convert(channel: string, kind: 'public' | 'private', by: string): Promise<Ack> {
    const found = this.#change(channel, (each) => {
      each.kind = kind;
    });
    const user = this.#core.space.user(by).id;
    return emitMessage(this.#core, found, {
      subtype: `channel_convert_to_${kind}`,
      user,
      text: `made this channel *${kind}*`,
      ts: this.#core.ids.ts(this.#core.now()),
    });
  }

  join(channel: string, user: string): Promise<Ack> {
    return this.#member('member_joined_channel', channel, user, (members, id) => members.add(id));
  }

  leave(channel: string, user: string): Promise<Ack> {
    return this.#member('member_left_channel', channel, user, (members, id) => members.delete(id));
  }

  hire(seed: SeedUser): Promise<Ack> {
    const user = this.#core.space.addUser(seed);
    return emit(this.#core, { type: 'team_join', user: changedUser(this.#core, user) });
  }

  /** A deactivated person silently leaves every channel. */
  deactivate(user: string): Promise<Ack> {
    const found = this.#core.space.user(user);
    found.deleted = true;
    for (const { kind, members } of this.#core.space.channels.values()) {
      if (kind === 'public' || kind === 'private') members.delete(found.id);
    }
    this.#core.changes.tell({ kind: 'user', user: found.id });
    return emit(this.#core, { type: 'user_change', user: changedUser(this.#core, found), cache_ts: 0 });
  }

  /** The token stops working first; both events follow. */
  async uninstall(): Promise<void> {
    this.#core.tokens.revoke(this.#core.app.botToken);
    await emit(this.#core, { type: 'tokens_revoked', tokens: { oauth: [], bot: [this.#core.space.bot.id] } });
    await emit(this.#core, { type: 'app_uninstalled' });
  }

  #change(channel: string, change: (channel: Channel) => unknown): Channel {
    const found = this.#core.space.channel(channel);
    change(found);
    this.#core.changes.tell({ kind: 'channel', channel: found.id });
    return found;
  }

  #member(type: string, channel: string, user: string, change: (members: Set<string>, id: string) => unknown) {
    const who = this.#core.space.user(user);
    const found = this.#change(channel, (each) => change(each.members, who.id));
    const channelType = found.kind === 'public' ? 'C' : 'G';
    return emit(this.#core, { type, user: who.id, channel: found.id, channel_type: channelType, team: who.teamId });
  }
}
