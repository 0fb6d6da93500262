import { z } from 'zod';
import { type Ground, type Person, script, versionedCodec } from './ground.js';

const Claimed = z.object({
  /** The state it is about: for a later state anyone may claim it again. */
  of: z.string(),
  job: z.string(),
  by: z.object({ team: z.string(), user: z.string() }),
  at: z.int(),
});
export type Claimed = z.infer<typeof Claimed>;
const claim = versionedCodec(Claimed);

type Taking = { readonly taken: true } | { readonly taken: false; readonly holder: Claimed };

const lifeMs = 10 * 60_000;

/** Decides which of several people does something only one should do. */
export function createClaims({ redis, keys, now }: Ground) {
  return {
    /** Taken: it belongs to this job, even on a rerun. */
    async take(what: string, of: string, job: string, by: Person): Promise<Taking> {
      const mine = claim.encode({ of, job, by: { team: by.team, user: by.user }, at: now() });
      const held = await take(redis, [keys.claim({ what })], [of, job, mine, lifeMs]);
      return typeof held === 'string' ? { taken: false, holder: claim.decode(held) } : { taken: true };
    },

    async holder(what: string): Promise<Claimed | undefined> {
      const text = await redis.get(keys.claim({ what }));
      return text === null ? undefined : claim.decode(text);
    },

    /** For work that was certainly not done. */
    async release(what: string, job: string): Promise<void> {
      await release(redis, [keys.claim({ what })], [job]);
    },
  };
}

const take = script(`
local held = redis.call('GET', KEYS[1])
if held then
  local other = cjson.decode(held)
  if other.of == ARGV[1] and other.job ~= ARGV[2] then return held end
end
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
return false`);

const release = script(`
local held = redis.call('GET', KEYS[1])
if held and cjson.decode(held).job == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`);
