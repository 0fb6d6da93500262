import { hash } from 'node:crypto';
import { z } from 'zod';
import { type Ground, type Place, placeName, readPlaceName, script, texts, versionedCodec } from './ground.js';

export interface RoutingDecision {
  readonly at: number;
  readonly event: string;
  readonly kind: string;
  readonly team: string;
  readonly channel: string;
  /** The subscription's id; absent if nobody subscribed. */
  readonly subscription?: string;
  readonly kept: boolean;
  /** Which part of the filter, or which guard, kept or dropped it. */
  readonly clause: string;
}

/** All decisions about one event: most channels drop it for the same reason. */
const Row = z.object({
  at: z.int(),
  event: z.string(),
  kind: z.string(),
  /** The clause, whether it kept the event, and for whom: subscriptions, or a workspace and channel. */
  made: z.array(z.tuple([z.string(), z.boolean(), texts])),
});
const Single = z.object({
  ...{ at: z.int(), event: z.string(), kind: z.string(), team: z.string(), channel: z.string() },
  ...{ subscription: z.string().optional(), kept: z.boolean(), clause: z.string() },
});
const row = versionedCodec(Row, [
  (old) => {
    const { at, event, kind, kept, clause, ...one } = Single.parse(old);
    return { at, event, kind, made: [[clause, kept, [whoOf(one)]]] };
  },
]);

type Who = Pick<RoutingDecision, 'team' | 'channel'> & { readonly subscription?: string | undefined };

/** The id of a subscription begins with its workspace and channel. */
const whoOf = ({ team, channel, subscription }: Who): string => subscription ?? placeName({ team, channel });
function readWho(text: string): Pick<RoutingDecision, 'team' | 'channel' | 'subscription'> {
  const [place = '', target] = text.split(' ', 2);
  return { ...readPlaceName(place), ...(target !== undefined && { subscription: text }) };
}

/** The decisions about an event of an item, by its web address. */
export interface Decided {
  readonly address: string;
  readonly event: string;
  readonly kind: string;
  readonly made: readonly Omit<RoutingDecision, 'at' | 'event' | 'kind'>[];
}

function encodeRow({ event, kind, made }: Decided, at: number): string {
  const clauses = new Map<string, readonly [clause: string, kept: boolean, who: string[]]>();
  for (const { clause, kept, ...who } of made) {
    const same = clauses.get(`${kept} ${clause}`) ?? [clause, kept, []];
    same[2].push(whoOf(who));
    clauses.set(`${kept} ${clause}`, same);
  }
  return row.encode({ at, event, kind, made: [...clauses.values()].map(([clause, kept, who]) => [clause, kept, who]) });
}

function decodeRow(text: string): RoutingDecision[] {
  const { made, ...about } = row.decode(text);
  return made.flatMap(([clause, kept, who]) => who.map((each) => ({ ...about, ...readWho(each), kept, clause })));
}

const Posted = z.object({ address: z.string(), event: z.string() });
export type Posted = z.infer<typeof Posted>;

/** A message, and the events it shows. */
export interface Shown {
  readonly ts: string;
  readonly events: readonly Posted[];
}
const shown = versionedCodec(z.object({ events: z.array(z.tuple([z.string(), z.string()])) }));
export const encodeShown = (events: readonly Posted[]): string =>
  shown.encode({ events: events.slice(0, mostKept).map(({ address, event }) => [address, event]) });

const lifeSeconds = 14 * 86_400;
export const shownSeconds = lifeSeconds;
const mostKept = 50;

/** Why a message was or was not posted. */
export function createDecisions({ redis, keys, now }: Ground) {
  // an address may be long and contain anything: its hash is the key, and the first digit of that a shared slot
  const digest = (address: string) => hash('sha256', plain(address), 'hex').slice(0, 32);
  const key = (digested: string) => keys.decisions({ shard: digested.slice(0, 1), address: digested });
  return {
    /** The decisions about each event; the newest are kept. */
    async record(about: readonly Decided[]): Promise<void> {
      const at = now();
      const shards = new Map<string, { readonly names: string[]; readonly rows: (string | number)[] }>();
      for (const each of about) {
        if (each.made.length === 0) continue;
        const digested = digest(each.address);
        const shard = shards.get(digested.slice(0, 1)) ?? { names: [], rows: [] };
        shard.names.push(key(digested));
        shard.rows.push(shard.names.length, encodeRow(each, at));
        shards.set(digested.slice(0, 1), shard);
      }
      await Promise.all(
        [...shards.values()].map(({ names, rows }) => push(redis, names, [mostKept, lifeSeconds, ...rows])),
      );
    },

    /** Newest first. */
    async about(address: string): Promise<RoutingDecision[]> {
      return (await redis.lrange(key(digest(address)), 0, -1)).flatMap(decodeRow);
    },

    /** Which events a message shows; the outbox that posted it recorded it. */
    async ofMessage(place: Place, ts: string): Promise<Posted[]> {
      const text = await redis.get(keys.shownEvents({ ...place, ts }));
      return text === null ? [] : shown.decode(text).events.map(([address, event]) => ({ address, event }));
    },
  };
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
