import { notify } from '../chat/notice.js';
import { allIn } from '../features/subscriptions/target.js';
import { exposure } from '../feed/exposure.js';
import { type OutboxPlace, type Place, placeName, type Store } from '../store/index.js';
import { say } from '../view/message.js';
import { channel as channelLink, type Mrkdwn, md } from '../view/text.js';
import type { FeedDeps } from './feed-deps.js';

export type LostChannels = ReturnType<typeof createLostChannels>;

const reasons: Readonly<Record<string, string>> = {
  is_archived: 'The channel is archived.',
  not_in_channel: 'The bot is not in the channel. Invite it with /invite.',
  channel_not_found: 'The channel was deleted, or the bot can’t see it. Invite the bot with /invite.',
  restricted_action: 'The workspace does not let the bot write there.',
  shared: 'The channel is shared with another organization.',
};

const mostNamed = 5;
/** A process that was interrupted here does it again within this time. */
const retellMs = 3_600_000;

/** By name if known: the reader may not see the channel. */
export async function channelName({ channels }: Store, place: Place): Promise<Mrkdwn> {
  const name = await channels.nameOf(place);
  return name === undefined ? channelLink(place.channel) : md`#${name}`;
}

/** A channel that takes no messages for a while: updates queue up and are posted as a digest when it is back. */
export function createLostChannels(deps: FeedDeps) {
  const { store, slack, policy } = deps;

  async function tell(user: string, place: Place, at: number, titles: readonly string[], why: string): Promise<void> {
    const where = await channelName(store, place);
    const more = titles.length > mostNamed ? ` and ${titles.length - mostNamed} more` : '';
    const what = `${titles.slice(0, mostNamed).join(', ')}${more}`;
    const words = md`I can’t post in ${where}: ${why} Updates on ${what} are waiting. You’ll get a digest there once I can post again.`;
    await notify(store, { team: place.team, user }, `lost:${place.channel}:${at}`, say(words));
  }

  return {
    /** Each owner is notified once, for all their subscriptions there. */
    async lose(place: OutboxPlace, code: string): Promise<void> {
      const why = reasons[code] ?? `Slack does not accept messages there (${code}).`;
      await store.channels.forgetFacts(place);
      const at = await store.lostChannels.note(place);
      const isNew = store.now() - at < retellMs;
      const all = isNew ? (await allIn(place, store)).filter(({ sub }) => !sub.paused) : [];
      for (const owner of new Set(all.map(({ sub }) => sub.owner))) {
        const titles = all.filter(({ sub }) => sub.owner === owner).map(({ title }) => title);
        await tell(owner, place, at, titles, why);
      }
      // last: nobody would resume what is paused and not noted
      await store.outbox.pause(place, why);
    },

    /** Retries channels that Slack says could work; those still refused pause again silently. */
    async look(): Promise<void> {
      const pending = await store.outbox.pending();
      for (const lost of await store.lostChannels.all()) {
        const places = pending.filter((place) => placeName(place) === placeName(lost));
        const views = await Promise.all(places.map(async (place) => ({ place, view: await store.outbox.view(place) })));
        const held = views.filter(({ view }) => view.pause && view.pause.until === undefined);
        if (held.length === 0) {
          // the channel counts as found once it has taken its queue
          if (views.every(({ view }) => view.size === 0)) await store.lostChannels.forget(lost);
          continue;
        }
        const facts = await slack.channel(lost.channel).catch(() => undefined);
        if (!facts?.member || facts.archived || !exposure({ hidden: false }, facts, policy.exposure).allowed) continue;
        for (const { place } of held) await store.outbox.resume(place);
      }
    },
  };
}
