import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Ground, Place } from './ground.js';
import { script } from './script.js';
import { versioned } from './value.js';

const Decision = z.object({
  at: z.int(),
  event: z.string(),
  kind: z.string(),
  team: z.string(),
  channel: z.string(),
  /** The subscription's id; none where nobody subscribed. */
  subscription: z.string().optional(),
  kept: z.boolean(),
  /** Which clause of the filter, or which guard, kept or dropped it. */
  clause: z.string(),
});
export type RoutingDecision = z.infer<typeof Decision>;
const decision = versioned(Decision);

const Posted = z.object({ address: z.string(), event: z.string() });
export type Posted = z.infer<typeof Posted>;
const posted = versioned(Posted);

const FOURTEEN_DAYS = 14 * 86_400;
const MOST_KEPT = 50;

/** Why a message came or did not come. */
export function createDecisions({ redis, keys, now }: Ground) {
  // an address may be long and hold anything; its hash is a key
  const key = (address: string) =>
    keys.decisions({ address: createHash('sha256').update(plain(address)).digest('hex').slice(0, 32) });
  return {
    /** All decisions about one thing at once; the newest are kept. */
    async record(address: string, made: readonly Omit<RoutingDecision, 'at'>[]): Promise<void> {
      if (made.length === 0) return;
      const rows = made.map((each) => decision.encode({ ...each, at: now() }));
      await push(redis, [key(address)], [MOST_KEPT, FOURTEEN_DAYS, ...rows]);
    },

    /** Newest first. */
    async about(address: string): Promise<RoutingDecision[]> {
      return (await redis.lrange(key(address), 0, -1)).map((text) => decision.decode(text));
    },

    /** Which events a message shows. */
    async recordMessage(place: Place, ts: string, events: readonly Posted[]): Promise<void> {
      if (events.length === 0) return;
      const rows = events.map((each) => posted.encode(each));
      await push(redis, [keys.decisionsOfMessage({ ...place, ts })], [MOST_KEPT, FOURTEEN_DAYS, ...rows]);
    },
    async ofMessage(place: Place, ts: string): Promise<Posted[]> {
      return (await redis.lrange(keys.decisionsOfMessage({ ...place, ts }), 0, -1)).map((text) => posted.decode(text));
    },
  };
}

/** One thing has one address, whatever tab of it or comment in it was linked. */
const plain = (address: string): string =>
  address
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .toLowerCase();

const push = script(`
for i = 3, #ARGV do redis.call('LPUSH', KEYS[1], ARGV[i]) end
redis.call('LTRIM', KEYS[1], 0, tonumber(ARGV[1]) - 1)
return redis.call('EXPIRE', KEYS[1], ARGV[2])`);
