import { z } from 'zod';
import type { Ground } from './ground.js';
import { type Subscription, subscriptionId } from './subscription.js';
import { versioned } from './value.js';

type Where = Pick<Subscription, 'place' | 'target'>;

const Handover = z.object({
  /** The Slack user who is asked. */
  to: z.string(),
  /** Who owned it then: an offer of somebody else's subscription means nothing. */
  from: z.string(),
  at: z.int(),
});
export type Handover = z.infer<typeof Handover>;
const handover = versioned(Handover);

const lastsMs = 7 * 86_400_000;

/** Subscriptions that somebody was asked to own; nothing changes until that person accepts. */
export function createHandovers({ redis, keys, now }: Ground) {
  return {
    /** The last offer counts. */
    async offer(where: Where, to: string, from: string): Promise<Handover> {
      const made = { to, from, at: now() };
      await redis.hset(keys.handovers(), subscriptionId(where), handover.encode(made));
      return made;
    },

    async get(where: Where): Promise<Handover | undefined> {
      const text = await redis.hget(keys.handovers(), subscriptionId(where));
      const found = text === null ? undefined : handover.decode(text);
      return found && now() - found.at <= lastsMs ? found : undefined;
    },

    /** True for the one who takes it away. */
    async close(where: Where): Promise<boolean> {
      return (await redis.hdel(keys.handovers(), subscriptionId(where))) === 1;
    },
  };
}
