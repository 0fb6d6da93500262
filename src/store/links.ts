import { createHash } from 'node:crypto';
import { z } from 'zod';
import { createSignatures } from './authentic.js';
import { type Ground, type Person, script, versionedCodec } from './ground.js';
import { claimDue } from './later.js';

/** A card under a link that someone posted. */
const Link = z.object({
  team: z.string(),
  user: z.string(),
  channel: z.string(),
  ts: z.string(),
  url: z.string(),
  /** What it last showed. */
  shown: z.string(),
  /** When the link was posted. */
  at: z.int(),
});
export type Link = z.infer<typeof Link>;

/** An item whose cards are drawn again, and until when nobody else does that. */
interface DueLinks {
  readonly item: string;
  readonly until: number;
}
const link = versionedCodec(Link);

const lifeMs = 7 * 86_400_000;
const mostLinks = 20;

const fieldOf = ({ channel, ts, url }: Pick<Link, 'channel' | 'ts' | 'url'>): string =>
  `${channel}-${ts}-${createHash('sha256').update(url).digest('base64url').slice(0, 16)}`;

/** Cards under links of the last seven days, by item. Signed: each is drawn with its poster's account. */
export function createLinks(ground: Ground) {
  const { redis, keys, now } = ground;
  const signatures = createSignatures(ground, 'link');
  return {
    /** `at`: when it was posted, if that is not now. */
    async put(
      item: string,
      by: Person,
      { at = now(), ...shown }: Omit<Link, 'team' | 'user' | 'at'> & { readonly at?: number | undefined },
    ): Promise<void> {
      const field = fieldOf(shown);
      const text = link.encode({ ...shown, team: by.team, user: by.user, at });
      await put(redis, [keys.links({ item })], [field, signatures.sign(text, item, field), mostLinks, lifeMs]);
    },

    async of(item: string): Promise<readonly Link[]> {
      const found = Object.entries(await redis.hgetall(keys.links({ item }))).flatMap(([field, stored]) => {
        const text = signatures.read(stored, item, field);
        return text === undefined ? [] : link.decode(text);
      });
      return found.filter(({ at }) => now() - at < lifeMs);
    },

    async drop(item: string, gone: Pick<Link, 'channel' | 'ts' | 'url'>): Promise<void> {
      await redis.hdel(keys.links({ item }), fieldOf(gone));
    },

    /** The item changed: its cards are redrawn soon, once for everything until then. */
    async touch(item: string, afterMs: number): Promise<void> {
      await touch(redis, [keys.links({ item }), keys.linksDue()], [item, now() + afterMs]);
    },

    /** Claimed by this caller for `holdMs`. */
    async due(limit: number, holdMs: number): Promise<readonly DueLinks[]> {
      const until = now() + holdMs;
      const items = await claimDue(redis, keys.linksDue(), { now: now(), until, limit });
      return items.map((item) => ({ item, until }));
    },

    /** Its cards are drawn; a change since it was claimed stays due. */
    async finish({ item, until }: DueLinks): Promise<void> {
      await done(redis, [keys.linksDue()], [item, until]);
    },
  };
}

// an existing link may always be rewritten
const put = script(`
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return redis.call('PEXPIRE', KEYS[1], ARGV[4])`);

const touch = script(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
return redis.call('ZADD', KEYS[2], 'LT', ARGV[2], ARGV[1])`);

const done = script(`
if tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 0) ~= tonumber(ARGV[2]) then return 0 end
return redis.call('ZREM', KEYS[1], ARGV[1])`);
