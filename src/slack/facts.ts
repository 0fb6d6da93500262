import type { WebClient } from '@slack/web-api';
import { LRUCache } from 'lru-cache';
import type { SlackPort, SlackUser } from '../chat/context.js';
import type { Store } from '../store/index.js';
import { isZone } from '../wall-clock.js';
import { createChannelFacts } from './channel-facts.js';
import { pagesOf, undone, unlessBusy, unlessMissing } from './lookup.js';

export interface FactsOptions {
  readonly client: WebClient;
  readonly team: string;
  readonly store: Store;
}

/** Of a thousand members each. */
const mostPages = 100;
const userAgeMs = 10 * 60_000;

/** Slack's largest page. */
const mostMembers = 999;

/** Facts from Slack about channels and people; answers are cached briefly, failures never. */
export function createSlackFacts({ client, team, store }: FactsOptions): SlackPort {
  const users = new LRUCache<string, SlackUser>({ max: 5_000, ttl: userAgeMs });
  const directMessages = new LRUCache<string, string>({ max: 5_000 });
  const channelFacts = createChannelFacts({ client, team, store });

  return {
    async channel(id, user) {
      if (id.startsWith('D')) return (await isOwn(id, user)) ? { ...direct, checkedAt: Date.now() } : undefined;
      return channelFacts(id);
    },
    async user(id) {
      const known = users.get(id);
      if (known) return known;
      const answer = await unlessMissing(client.users.info({ user: id }));
      const user = answer?.user ? userOf(answer.user, team) : undefined;
      // Someone deactivated may be back the next minute.
      if (user && !user.deleted) users.set(id, user);
      return user;
    },
    async userByEmail(email) {
      const answer = await unlessMissing(client.users.lookupByEmail({ email }));
      return answer?.user ? userOf(answer.user, team) : undefined;
    },
    /** Never cached here: roles have their own cache, and a deciding click needs fresh data. */
    async userGroupMembers(id) {
      const answer = await unlessMissing(client.usergroups.users.list({ usergroup: id }), { so: undone });
      return answer?.users ?? [];
    },
    async channelMembers(id) {
      const answer = await unlessMissing(client.conversations.members({ channel: id, limit: mostMembers }));
      return answer?.response_metadata?.next_cursor ? undefined : (answer?.members ?? []);
    },
    async permalink(channel, ts) {
      const answer = await unlessMissing(client.chat.getPermalink({ channel, message_ts: ts }));
      return answer?.permalink;
    },
    directMessage,
    async isMember(channel, user) {
      const ask = (from: { cursor?: string }) =>
        unlessMissing(client.conversations.members({ channel, limit: 1_000, ...from }), {
          also: ['missing_scope', 'fetch_members_failed'],
          so: undone,
        });
      for await (const { members } of pagesOf(ask, mostPages)) if (members?.includes(user)) return true;
      return false;
    },
  };

  async function directMessage(user: string): Promise<string> {
    const known = directMessages.get(user);
    if (known) return known;
    const { channel } = await unlessBusy(client.conversations.open({ users: user }));
    if (!channel?.id) throw new Error('Slack opened no direct message');
    directMessages.set(user, channel.id);
    await store.channels.rememberOwn({ team, channel: channel.id }, user);
    return channel.id;
  }

  /** A conversation of two people looks the same: the bot's own is the one Slack opens for it, which needs no extra scope. */
  async function isOwn(id: string, user: string | undefined): Promise<boolean> {
    if (await store.channels.isOwn({ team, channel: id })) return true;
    return user !== undefined && (await unlessMissing(directMessage(user), { also: notOurs })) === id;
  }
}

/** Strangers and bots have no conversation with the bot. */
const notOurs = ['user_disabled', 'cannot_dm_bot', 'user_not_visible', 'users_not_found'];

const direct = { kind: 'dm', shared: false, member: true, archived: false } as const;

interface WireUser {
  id?: string;
  team_id?: string;
  is_stranger?: boolean;
  enterprise_user?: { teams?: string[] };
  name?: string;
  real_name?: string;
  deleted?: boolean;
  is_bot?: boolean;
  tz?: string;
  tz_offset?: number;
  profile?: { email?: string; display_name?: string };
}

function userOf(user: WireUser, team: string): SlackUser | undefined {
  if (!user.id) return undefined;
  return {
    id: user.id,
    name: user.profile?.display_name || user.real_name || user.name || user.id,
    ...(user.profile?.email === undefined ? {} : { email: user.profile.email }),
    deleted: user.deleted ?? false,
    bot: user.is_bot ?? false,
    ours: !user.is_stranger && [user.team_id, ...(user.enterprise_user?.teams ?? [])].includes(team),
    zone: user.tz !== undefined && isZone(user.tz) ? user.tz : Math.round((user.tz_offset ?? 0) / 60),
  };
}
