import type { WebClient } from '@slack/web-api';
import type { ChannelFacts } from '../chat/context.js';
import type { Store } from '../store/index.js';
import { pagesOf, undone, unlessMissing } from './lookup.js';

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
const mostPages = 50;

/** Asks Slack for one channel; where many are asked for within a minute, for all that the bot is in. */
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
    for await (const answer of pagesOf(ask, mostPages)) {
      const rows = (answer.channels ?? []).flatMap(({ id, ...row }) =>
        id !== undefined && row.is_ext_shared !== undefined ? [{ id, row }] : [],
      );
      await Promise.all(
        rows.map(({ id, row }) => channels.learn({ team, channel: id }, factsOf({ ...row, is_member: true }), before)),
      );
    }
  }

  /** Those that come while a list is on its way wait for it. */
  async function listed(): Promise<void> {
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
    if (isMany()) await listed();
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
