import { z } from 'zod';
import type { Ground } from './ground.js';
import { script } from './script.js';
import { type About, unsealed } from './seal.js';

/** A run whose starter is shown how it goes on. */
const Follow = z.object({
  owner: z.string(),
  repo: z.string(),
  run: z.int(),
  person: z.object({ team: z.string(), user: z.string() }),
  /** How it stood when it was shown last. */
  shown: z.string().optional(),
  since: z.int(),
});
export type Follow = z.infer<typeof Follow>;

/** Sealed: it says as whom the forge is asked. */
export function createFollows({ redis, forge, keys, seal, now }: Ground) {
  const about = (id: string): About => ['follow', forge, id];
  const both = () => [keys.follows(), keys.followsDue()];
  return {
    async put(id: string, follow: Follow, afterMs: number): Promise<void> {
      await put(redis, both(), [id, seal.seal(JSON.stringify(follow), about(id)), now() + afterMs]);
    },

    /** What nobody else looks at for `holdMs` from now. */
    async due(holdMs: number, limit = 20): Promise<readonly { readonly id: string; readonly follow: Follow }[]> {
      const ids = await redis.zrangebyscore(keys.followsDue(), '-inf', now(), 'LIMIT', 0, limit);
      const found = await Promise.all(
        ids.map(async (id) => {
          if ((await claim(redis, [keys.followsDue()], [id, now(), now() + holdMs])) !== 1) return [];
          const text = await redis.hget(keys.follows(), id);
          const read = Follow.safeParse(text === null ? undefined : unsealed(seal, text, about(id)));
          if (read.success) return [{ id, follow: read.data }];
          await drop(redis, both(), [id]);
          return [];
        }),
      );
      return found.flat();
    },

    async drop(id: string): Promise<void> {
      await drop(redis, both(), [id]);
    },
  };
}

// KEYS: what is followed, when each is due. ARGV[1]: the id.

const put = script(`
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])`);

const drop = script(`
redis.call('HDEL', KEYS[1], ARGV[1])
return redis.call('ZREM', KEYS[2], ARGV[1])`);

const claim = script(`
local due = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not due or tonumber(due) > tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
return 1`);
