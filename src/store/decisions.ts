import { hash } from 'node:crypto';
import { z } from 'zod';
import { type Ground, type Place, script, versionedCodec } from './ground.js';

const Decision = z.object({
  at: z.int(),
  event: z.string(),
  kind: z.string(),
  team: z.string(),
  channel: z.string(),
  /** The subscription's id; absent if nobody subscribed. */
  subscription: z.string().optional(),
  kept: z.boolean(),
  /** Which part of the filter, or which guard, kept or dropped it. */
  clause: z.string(),
});
export type RoutingDecision = z.infer<typeof Decision>;
const decision = versionedCodec(Decision);

/** The decisions about one item, by its web address. */
export interface Decided {
  readonly address: string;
  readonly made: readonly Omit<RoutingDecision, 'at'>[];
}

const Posted = z.object({ address: z.string(), event: z.string() });
export type Posted = z.infer<typeof Posted>;
const posted = versionedCodec(Posted);

const lifeSeconds = 14 * 86_400;
const mostKept = 50;

/** Why a message was or was not posted. */
export function createDecisions({ redis, keys, now }: Ground) {
  // an address may be long and contain anything: its hash is the key, and the first digit of that a shared slot
  const digest = (address: string) => hash('sha256', plain(address), 'hex').slice(0, 32);
  const key = (digested: string) => keys.decisions({ shard: digested.slice(0, 1), address: digested });
  const decisions = {
    /** The decisions about each item; the newest are kept. */
    async recordAll(about: readonly Decided[]): Promise<void> {
      const at = now();
      const shards = new Map<string, { readonly names: string[]; readonly rows: (string | number)[] }>();
      for (const { address, made } of about) {
        if (made.length === 0) continue;
        const digested = digest(address);
        const shard = shards.get(digested.slice(0, 1)) ?? { names: [], rows: [] };
        shard.names.push(key(digested));
        for (const each of made) shard.rows.push(shard.names.length, decision.encode({ ...each, at }));
        shards.set(digested.slice(0, 1), shard);
      }
      await Promise.all(
        [...shards.values()].map(({ names, rows }) => push(redis, names, [mostKept, lifeSeconds, ...rows])),
      );
    },

    record: (address: string, made: Decided['made']): Promise<void> => decisions.recordAll([{ address, made }]),

    /** Newest first. */
    async about(address: string): Promise<RoutingDecision[]> {
      return (await redis.lrange(key(digest(address)), 0, -1)).map((text) => decision.decode(text));
    },

    /** Which events a message shows. */
    async recordMessage(place: Place, ts: string, events: readonly Posted[]): Promise<void> {
      if (events.length === 0) return;
      const rows = events.flatMap((each) => [1, posted.encode(each)]);
      await push(redis, [keys.decisionsOfMessage({ ...place, ts })], [mostKept, lifeSeconds, ...rows]);
    },
    async ofMessage(place: Place, ts: string): Promise<Posted[]> {
      return (await redis.lrange(keys.decisionsOfMessage({ ...place, ts }), 0, -1)).map((text) => posted.decode(text));
    },
  };
  return decisions;
}

/** One item has one address, whichever tab or comment was linked. */
const plain = (address: string): string =>
  address
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .toLowerCase();

/** ARGV: how many are kept, for how long, then for each row the index of its key and the row. */
const push = script(`
for i = 3, #ARGV, 2 do redis.call('LPUSH', KEYS[tonumber(ARGV[i])], ARGV[i + 1]) end
for _, key in ipairs(KEYS) do
  redis.call('LTRIM', key, 0, tonumber(ARGV[1]) - 1)
  redis.call('EXPIRE', key, ARGV[2])
end
return 1`);
