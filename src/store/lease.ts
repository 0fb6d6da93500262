import { z } from 'zod';
import type { Connection } from './redis.js';
import { script } from './script.js';

/** Held until it expires. The token only increases, so scripts that compare it refuse a slow former holder. */
export type Lease = string & { readonly lease: unique symbol };
export const Token = z.string().transform((token) => token as Lease); // a brand: only `acquire` makes one

export function createLease(redis: Connection, lease: string, fence: string) {
  return {
    /** Undefined while someone else holds it. */
    async acquire(lifeMs: number): Promise<Lease | undefined> {
      const token = await acquire(redis, [lease, fence], [lifeMs]);
      return token === null ? undefined : Token.parse(token);
    },
    renew: async (token: Lease, lifeMs: number): Promise<boolean> =>
      (await renew(redis, [lease], [token, lifeMs])) === 1,
    release: async (token: Lease): Promise<boolean> => (await release(redis, [lease], [token])) === 1,
  };
}

/** First lines of a script whose last key is the lease and whose first argument is the token. */
export const held = "if redis.call('GET', KEYS[#KEYS]) ~= ARGV[1] then return 0 end\n";

const acquire = script(`
if redis.call('EXISTS', KEYS[1]) == 1 then return false end
local token = tostring(redis.call('INCR', KEYS[2]))
redis.call('SET', KEYS[1], token, 'PX', ARGV[1])
return token`);

const renew = script(`${held}
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`);

const release = script(`${held}
return redis.call('DEL', KEYS[1])`);
