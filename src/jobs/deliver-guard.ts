import type { EventDelivery } from '../feed/delivery.js';
import { type Exposure, exposure } from '../feed/exposure.js';
import { realPlace } from '../feed/lanes.js';
import { PostError } from '../feed/ports.js';
import { type Place, type Subscription, subscriptionId } from '../store/index.js';
import { say } from '../view/message.js';
import { md } from '../view/text.js';
import type { FeedDeps } from './feed-deps.js';
import type { RepoFacts } from './repo-facts.js';

export type Guard = ReturnType<typeof createGuard>;

/** The last look before anything is sent, and what happens to subscriptions that cannot be served. */
export function createGuard(deps: FeedDeps, repos: RepoFacts, wake: (place: Place) => Promise<void>) {
  const { store, slack, policy, now } = deps;

  async function tell(team: string, user: string, id: string, words: string): Promise<void> {
    try {
      const place = { team, channel: await slack.directMessage(user) };
      await store.outbox.append(place, [{ id, body: { type: 'message', message: say(md`${words}`) } }]);
      await wake(place);
    } catch (error) {
      // the pause itself is shown by status and subscribe list
      deps.log.warn({ user, reason: error instanceof Error ? error.message : 'unknown' }, 'an owner could not be told');
    }
  }

  async function pause(sub: Subscription, reason: string): Promise<void> {
    if (sub.paused) return;
    const at = now();
    const changed = await store.subscriptions.change(sub, { paused: { reason, at } });
    if (!changed) return;
    const name = (await store.subscriptions.nameOf(sub.target)) ?? 'a repository';
    const words = `I paused the subscription to ${name} in the channel ${sub.place.channel}: ${reason} When that is settled, subscribe there again.`;
    await tell(sub.place.team, changed.owner, `paused:${subscriptionId(sub)}:${at}`, words);
  }

  return {
    pause,

    /** Refuses by throwing a PostError where the channel itself is lost. */
    async check(
      place: Place,
      repo: { readonly id: number; readonly fullName: string; readonly private: boolean },
    ): Promise<Exposure> {
      const { channel } = realPlace(place);
      const facts = await slack.channel(channel).catch(() => {
        throw new PostError('unknown', 'channel_unread');
      });
      if (!facts) throw new PostError('channel', 'channel_not_found');
      if (facts.archived) throw new PostError('channel', 'is_archived');
      const asks = facts.kind === 'public' && policy.exposure.privateToPublic === 'refuse';
      return exposure({ private: asks ? await repos.isPrivate(repo) : repo.private }, facts, policy.exposure);
    },

    /** What must not be shown here is not posted; its subscription stops and its owner is told. */
    async withhold(place: Place, body: EventDelivery, refused: Extract<Exposure, { allowed: false }>): Promise<void> {
      deps.count('withheld');
      const { team, channel } = realPlace(place);
      const { event, subscription } = body;
      const clause = `withheld: ${refused.reason}`;
      await store.decisions.record(event.item.url, [
        {
          event: event.id,
          kind: event.kind,
          team,
          channel,
          kept: false,
          clause,
          ...(subscription && { subscription }),
        },
      ]);
      for (const sub of await store.subscriptions.inChannel({ team, channel })) {
        if (subscriptionId(sub) === subscription) await pause(sub, refused.words);
      }
    },

    /** Nothing will be taken in this channel any more: all its subscriptions stop. */
    async lose(place: Place, code: string): Promise<void> {
      const words = reasons[code] ?? `Slack takes no messages there (${code}).`;
      for (const sub of await store.subscriptions.inChannel(realPlace(place))) await pause(sub, words);
      await store.outbox.pause(place, words);
    },
  };
}

const reasons: Readonly<Record<string, string>> = {
  is_archived: 'The channel is archived.',
  not_in_channel: 'The bot is not in the channel. Invite it with /invite.',
  channel_not_found: 'The channel is gone, or the bot may not see it. Invite it with /invite.',
  restricted_action: 'The workspace does not let the bot write there.',
};
