import { fitness } from '../commands/subscribe/fitness.js';
import type { Named } from '../commands/subscribe/shown.js';
import { ApiError, type Forge } from '../forge/index.js';
import type { Log } from '../log.js';
import { type Place, type Store, subscriptionId } from '../store/index.js';
import { say } from '../view/message.js';
import { channel, code, type Mrkdwn, md, mention } from '../view/text.js';

export interface DepartureOptions {
  readonly store: Store;
  readonly forge: Pick<Forge, 'as'>;
  readonly slack: {
    user(id: string): Promise<{ readonly deleted: boolean } | undefined>;
    directMessage(user: string): Promise<string>;
  };
  readonly team: string;
  /** As people type it: /forge */
  readonly slash: string;
  readonly log: Log;
  readonly now: () => number;
  /** Something was appended to this outbox. */
  wake(place: Place): Promise<void>;
}

const reason = 'The person who answered for it has left.';

/** Another owner in the channel takes it over, or it pauses. Told first: whoever is cut off in between does both again. */
export async function settleSubscription(one: Named, at: number, options: DepartureOptions): Promise<void> {
  const { store, slash, now } = options;
  const { sub, title } = one;
  const next = await heir(one, options);
  const id = `left:${subscriptionId(sub)}:${sub.owner}:${at}:${next ?? 'nobody'}`;
  if (next === undefined) {
    const on = code(`${slash} subscribe ${title}`);
    const words = md`Updates on ${title} are paused: ${mention(sub.owner)} answered for them and has left. Whoever wants them goes on with ${on}.`;
    await tell(sub.place, id, words, options);
    await store.subscriptions.change(sub, { paused: { reason, at: now() } });
    return;
  }
  const words = md`${mention(next)} answers for ${title} now: ${mention(sub.owner)} has left.`;
  await tell(sub.place, id, words, options);
  await tellHeir(next, id, one, options);
  await store.subscriptions.change(sub, { owner: next, checkedAt: now() });
}

/** Who has followed something in this channel for longest, is linked and may see it. */
async function heir(one: Named, { store, forge, log }: DepartureOptions): Promise<string | undefined> {
  const { place, owner } = one.sub;
  const others = (await store.subscriptions.inChannel(place))
    .filter((each) => !each.paused && each.owner !== owner)
    .sort((a, b) => a.createdAt - b.createdAt);
  for (const user of new Set(others.map((each) => each.owner))) {
    try {
      if ((await fitness(one, { team: place.team, user }, { forge, store })).fit) return user;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      log.warn({ user, reason: error.message }, 'whether somebody could take a subscription over is not known');
    }
  }
  return undefined;
}

async function tell(place: Place, id: string, words: Mrkdwn, { store, wake }: DepartureOptions): Promise<void> {
  await store.outbox.append(place, [{ id, body: { type: 'message', message: say(words) } }]);
  await wake(place);
}

async function tellHeir(user: string, id: string, { sub, title }: Named, options: DepartureOptions): Promise<void> {
  const on = code(`${options.slash} subscribe owner ${title} @person`);
  const words = md`${mention(sub.owner)} has left, so you answer for ${title} in ${channel(sub.place.channel)} now. Not yours? Hand it over there with ${on}.`;
  try {
    const place = { team: sub.place.team, channel: await options.slack.directMessage(user) };
    await tell(place, id, words, options);
  } catch (error) {
    // the channel was told with their name
    options.log.warn({ user, reason: String(error) }, 'a new owner could not be told');
  }
}
