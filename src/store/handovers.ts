import { z } from 'zod';
import { createSignatures } from './authentic.js';
import { type Ground, versionedCodec } from './ground.js';
import { resignRows } from './resign.js';
import { type Subscription, subscriptionId } from './subscriptions.js';

type Where = Pick<Subscription, 'place' | 'target'>;

const Handover = z.object({
  /** The Slack user who is asked. */
  to: z.string(),
  /** The owner at that time: an offer for someone else's subscription means nothing. */
  from: z.string(),
  at: z.int(),
});
export type Handover = z.infer<typeof Handover>;
const handover = versionedCodec(Handover);

const lastsMs = 7 * 86_400_000;

/** Subscriptions that someone was asked to own; nothing changes until that person accepts. */
export function createHandovers(ground: Ground) {
  const { redis, keys, now } = ground;
  const signatures = createSignatures(ground, 'handover');
  return {
    /** The last offer counts. */
    async offer(where: Where, to: string, from: string): Promise<Handover> {
      const made = { to, from, at: now() };
      const id = subscriptionId(where);
      await redis.hset(keys.handovers(), id, signatures.sign(handover.encode(made), id));
      return made;
    },

    async get(where: Where): Promise<Handover | undefined> {
      const id = subscriptionId(where);
      const stored = await redis.hget(keys.handovers(), id);
      const text = stored === null ? undefined : signatures.read(stored, id);
      const found = text === undefined ? undefined : handover.decode(text);
      return found && now() - found.at <= lastsMs ? found : undefined;
    },

    /** True only for the caller that removes it. */
    async close(where: Where): Promise<boolean> {
      return (await redis.hdel(keys.handovers(), subscriptionId(where))) === 1;
    },

    resign: () => resignRows(redis, signatures, { key: keys.handovers(), idOf: (id) => [id] }),
  };
}
