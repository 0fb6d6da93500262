import { ErrorCode, type WebClient } from '@slack/web-api';
import { LRUCache } from 'lru-cache';
import type { ChannelFacts, SlackPort, SlackUser } from '../chat/context.js';
import { UserError } from '../errors.js';
import { type Api, ApiError } from '../forge/index.js';
import { growTo } from '../memory.js';
import { type Directory, isUserId, type Store } from '../store/index.js';
import { describeElapsed } from '../view/when.js';
import { isZone } from '../wall-clock.js';
import { platformError, transientCodes } from './platform-error.js';

const unanswered: ReadonlySet<unknown> = new Set([ErrorCode.HTTPError, ErrorCode.RequestError]);

/** A sentence for the person if Slack is busy or down; undefined for other failures. */
function busy(error: unknown, so?: string): UserError | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const therefore = so === undefined ? '' : `, so ${so}`;
  const says = (what: string, when: string) =>
    new UserError(`Slack ${what}${therefore}. Try again in ${when}.`, { cause: error });
  if (code === ErrorCode.RateLimitedError) return says('is busy', waitOf(error));
  const word = platformError(error);
  if (word !== undefined) return transientCodes.has(word) ? says('is busy', 'a moment') : undefined;
  return unanswered.has(code) ? says('is not responding', 'a moment') : undefined;
}

function waitOf(error: unknown): string {
  const seconds = error instanceof Error && 'retryAfter' in error ? Number(error.retryAfter) : Number.NaN;
  return seconds > 0 ? describeElapsed(seconds * 1_000) : 'a moment';
}

const missing = new Set([
  'channel_not_found',
  'user_not_found',
  'users_not_found',
  'no_such_subteam',
  'subteam_not_found',
]);

/** Where places and rights are asked for, which is before anything is sent or kept. */
const undone = 'nothing was done';

interface Lookup {
  /** Further words of Slack that mean absent. */
  readonly also?: readonly string[];
  /** What it means for the person when Slack is busy. */
  readonly so?: string;
}

/** Absent is an answer; everything else is a failure. */
async function unlessMissing<T>(call: Promise<T>, { also = [], so }: Lookup = {}): Promise<T | undefined> {
  try {
    return await unlessBusy(call, so);
  } catch (error) {
    const word = platformError(error);
    if (word !== undefined && (missing.has(word) || also.includes(word))) return undefined;
    throw error;
  }
}

interface Page {
  readonly response_metadata?: { readonly next_cursor?: string };
}

/** Page after page until Slack names no further one; `most` bounds a list without end. */
export async function* pagesOf<T extends Page>(
  ask: (from: { readonly cursor?: string }) => Promise<T | undefined>,
  most: number,
): AsyncGenerator<T> {
  let cursor = '';
  for (let page = 0; page < most; page++) {
    const answer = await ask(cursor === '' ? {} : { cursor });
    if (!answer) return;
    yield answer;
    cursor = answer.response_metadata?.next_cursor ?? '';
    if (cursor === '') return;
  }
}

async function unlessBusy<T>(call: Promise<T>, so?: string): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw busy(error, so) ?? error;
  }
}

interface Options {
  readonly client: WebClient;
  readonly team: string;
  readonly store: Store;
}

/** What is known about a channel may be at most this old when something private is about to be sent. */
const ageMs = 60_000;
/** Slack allows fifty single look-ups a minute to all processes together. */
const fewPerMinute = 10;
/** Soon after a list, only channels that changed since then are missing; each takes one call. */
const listEveryMs = 30_000;
/** Of 999 channels each, Slack's largest. */
const mostMemberPages = 50;

/** @internal Asks Slack for one channel; where many are asked for within a minute, for all that the bot is in. */
export function createChannelFacts({ client, team, store }: Options) {
  const { channels } = store;
  const asked: number[] = [];
  let listedAt = Number.NEGATIVE_INFINITY;
  let listing: Promise<void> | undefined;

  const isMany = () => (asked.at(-fewPerMinute) ?? Number.NEGATIVE_INFINITY) > store.now() - ageMs;

  async function one(id: string): Promise<ChannelFacts | undefined> {
    asked.push(store.now());
    if (asked.length > fewPerMinute) asked.shift();
    const call = client.conversations.info({ channel: id });
    const answer = await unlessMissing(call, { also: ['missing_scope'], so: undone });
    return answer?.channel ? channels.learn({ team, channel: id }, factsOf(answer.channel)) : undefined;
  }

  async function list(): Promise<void> {
    let before = store.now();
    const ask = (from: { cursor?: string }) => {
      before = store.now();
      return client.users.conversations({ types: 'public_channel,private_channel', limit: 999, ...from });
    };
    for await (const answer of pagesOf(ask, mostMemberPages)) {
      const rows = (answer.channels ?? []).flatMap(({ id, ...row }) =>
        id !== undefined && row.is_ext_shared !== undefined ? [{ id, row }] : [],
      );
      await Promise.all(
        rows.map(({ id, row }) => channels.learn({ team, channel: id }, factsOf({ ...row, is_member: true }), before)),
      );
    }
  }

  /** Those that come while a list is on its way wait for it. */
  async function ensureListed(): Promise<void> {
    if (!listing && store.now() - listedAt < listEveryMs) return;
    listedAt = listing ? listedAt : store.now();
    listing ??= list().finally(() => {
      listing = undefined;
    });
    // without a list, each channel takes one call
    await listing.catch(() => undefined);
  }

  return async (id: string): Promise<ChannelFacts | undefined> => {
    const place = { team, channel: id };
    const known = await channels.facts(place, ageMs);
    if (known) return known;
    if (isMany()) await ensureListed();
    return (isMany() ? await channels.facts(place, ageMs) : undefined) ?? one(id);
  };
}

interface WireChannel {
  name?: string;
  is_private?: boolean;
  is_im?: boolean;
  is_mpim?: boolean;
  is_archived?: boolean;
  is_member?: boolean;
  is_ext_shared?: boolean;
  is_pending_ext_shared?: boolean;
}

function factsOf(channel: WireChannel): Omit<ChannelFacts, 'checkedAt'> {
  const kind = channel.is_im ? 'dm' : channel.is_mpim ? 'group' : channel.is_private ? 'private' : 'public';
  return {
    kind,
    shared: (channel.is_ext_shared ?? false) || (channel.is_pending_ext_shared ?? false),
    member: (channel.is_member ?? false) || kind === 'dm',
    archived: channel.is_archived ?? false,
    ...(channel.name === undefined ? {} : { name: channel.name }),
  };
}

interface FactsOptions {
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
  const users = new LRUCache<string, SlackUser>({ ...growTo(5_000), ttl: userAgeMs });
  const directMessages = new LRUCache<string, string>(growTo(5_000));
  const channelFacts = createChannelFacts({ client, team, store });
  let readsDnd = true;

  return {
    async channel(id, user) {
      if (isUserId(id) || id.startsWith('D'))
        return (await isOwn(id, user)) ? { ...direct, checkedAt: Date.now() } : undefined;
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
    async undisturbedUntil(user) {
      if (!readsDnd) return undefined;
      try {
        const { dnd_enabled, next_dnd_start_ts: start = 0, next_dnd_end_ts: end = 0 } = await client.dnd.info({ user });
        const now = store.now() / 1_000;
        return dnd_enabled && start <= now && now < end ? end * 1_000 : undefined;
      } catch (error) {
        // the scope is optional
        readsDnd = platformError(error) !== 'missing_scope';
        return undefined;
      }
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
    const other = isUserId(id) ? id : user;
    const own = other === undefined ? undefined : await unlessMissing(directMessage(other), { also: notOurs });
    return own !== undefined && (own === id || other === id);
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
  profile?: { email?: string; display_name?: string; status_emoji?: string; status_text?: string };
}

/** Slack's own two statuses for it, and what people write; `users:read` is enough to read them. */
const awayEmoji = /^:(?:palm_tree|face_with_thermometer):$/;
const awayWords = /\b(?:away|vacation\w*|holidays?|out of (?:the )?office|ooo|sick|on leave|pto)\b/i;

function userOf(user: WireUser, team: string): SlackUser | undefined {
  if (!user.id) return undefined;
  return {
    id: user.id,
    name: user.profile?.display_name || user.real_name || user.name || user.id,
    ...(user.profile?.email === undefined ? {} : { email: user.profile.email }),
    deleted: user.deleted ?? false,
    bot: user.is_bot ?? false,
    away: awayEmoji.test(user.profile?.status_emoji ?? '') || awayWords.test(user.profile?.status_text ?? ''),
    ours: !user.is_stranger && [user.team_id, ...(user.enterprise_user?.teams ?? [])].includes(team),
    zone: user.tz !== undefined && isZone(user.tz) ? user.tz : Math.round((user.tz_offset ?? 0) / 60),
  };
}

/** As configured: forge login → Slack user id. */
export function configDirectory(people: Readonly<Record<string, string>>): Directory {
  const users = new Map(Object.entries(people).map(([login, user]) => [login.toLowerCase(), user]));
  const logins = new Map(Object.entries(people).map(([login, user]) => [user, login]));
  return {
    origin: 'config',
    async personOf(team, login) {
      const user = users.get(login.toLowerCase());
      return user === undefined ? undefined : { team, user };
    },
    loginOf: async ({ user }) => logins.get(user),
    all: async (team) => [...logins].map(([user, login]) => ({ person: { team, user }, login })),
  };
}

/** The same email at Slack and at the forge; off unless the operator allows it. */
export function emailDirectory({ slack, service }: { slack: SlackPort; service: Api }): Directory {
  const isAddress = (email: string | undefined): email is string =>
    email !== undefined && /^[^@\s]+@[^@\s]+$/.test(email);
  return {
    origin: 'email',
    async personOf(team, login) {
      const email = (await ifKnown(service.users.get({ username: login })))?.email;
      if (!isAddress(email) || email.includes('noreply')) return undefined;
      const user = await slack.userByEmail(email);
      return user && !user.deleted && !user.bot ? { team, user: user.id } : undefined;
    },
    async loginOf({ user }) {
      const email = (await slack.user(user))?.email;
      if (!isAddress(email)) return undefined;
      const found = await ifKnown(service.users.search({ query: { q: email, limit: 5 } }));
      return found?.items.find((each) => each.email?.toLowerCase() === email.toLowerCase())?.login;
    },
  };
}

/** Undefined if the forge knows no such name or has no such list: then there is no match. */
async function ifKnown<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof ApiError && (error.kind === 'notFound' || error.unsupported)) return undefined;
    throw error;
  }
}
