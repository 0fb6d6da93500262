import { z } from 'zod';
import { script } from './ground.js';
import type { Connection } from './redis.js';

/** Held until it expires. The token only increases, so scripts that compare it refuse a slow former holder. */
export type Lease = string & { readonly lease: unique symbol };
export const Token = z.string().transform((token) => token as Lease); // a brand: only `acquire` makes one

/** `deaths`: how many holders in a row never released it. Their processes ended, or were too slow. */
export interface Opened {
  readonly token: Lease;
  readonly deaths: number;
}

/**
 * First lines of a script that begins a lease; KEYS, from the given one: lease, fence, and deaths if they are counted. ARGV:
 * its life. Returns false while someone else holds it.
 */
export const begin = (key = 1, life = 1) => `
if redis.call('EXISTS', KEYS[${key}]) == 1 then return false end
local token = tostring(redis.call('INCR', KEYS[${key + 1}]))
redis.call('SET', KEYS[${key}], token, 'PX', ARGV[${life}])
local deaths = KEYS[${key + 2}] and redis.call('INCR', KEYS[${key + 2}]) - 1 or 0
if KEYS[${key + 2}] then redis.call('EXPIRE', KEYS[${key + 2}], 3600) end
`;

export function createLease(redis: Connection, lease: string, fence: string, deaths?: string) {
  const counted = deaths === undefined ? [] : [deaths];
  return {
    /** Undefined while someone else holds it. */
    async open(lifeMs: number): Promise<Opened | undefined> {
      const opened = await open(redis, [lease, fence, ...counted], [lifeMs]);
      if (opened === null) return undefined;
      const [token, died] = z.tuple([Token, z.number()]).parse(opened);
      return { token, deaths: died };
    },
    async acquire(lifeMs: number): Promise<Lease | undefined> {
      return (await this.open(lifeMs))?.token;
    },
    /** What earlier holders may have died of is done: only this one counts from now on. */
    async forgive(token: Lease): Promise<void> {
      if (deaths !== undefined) await forgive(redis, [deaths, lease], [token]);
    },
    renew: async (token: Lease, lifeMs: number): Promise<boolean> =>
      (await renew(redis, [lease], [token, lifeMs])) === 1,
    release: async (token: Lease): Promise<boolean> => Number(await release(redis, [...counted, lease], [token])) > 0,
  };
}

/** First lines of a script whose last key is the lease and whose first argument is the token. */
export const held = "if redis.call('GET', KEYS[#KEYS]) ~= ARGV[1] then return 0 end\n";

const open = script(`${begin()}
return { token, deaths }`);

const forgive = script(`${held}
return redis.call('SET', KEYS[1], 1, 'EX', 3600)`);

const renew = script(`${held}
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`);

const release = script(`${held}
return redis.call('DEL', unpack(KEYS))`);
