import { z } from 'zod';
import { type Ground, type Person, script, versionedCodec } from './ground.js';
import { type About, unopenable, unseal } from './seal.js';

const record = versionedCodec(z.object({ expiresAt: z.int(), sealed: z.string() }));

/** The sealed time counts: the plain one only says what may be cleaned up. */
const Kept = z.object({ until: z.int(), before: z.unknown() });

const usualMs = 5 * 60_000;

/** Old values of a person's recent changes. Stored under that person, so nobody else's click finds them. */
export function createUndo({ redis, forge, keys, seal, now, alarm }: Ground) {
  const about = (person: Person, id: string): About => ['undo', forge, person.team, person.user, id];
  return {
    async put(person: Person, id: string, before: unknown, lifeMs: number = usualMs): Promise<void> {
      const until = now() + lifeMs;
      const sealed = seal.seal(JSON.stringify({ until, before }), about(person, id));
      const text = record.encode({ expiresAt: until, sealed });
      await put(redis, [keys.undo(person)], [now(), lifeMs, id, text]);
    },

    /** Undefined if it expired, its key is gone, or it is someone else's. The caller validates it and uses it once. */
    async get(person: Person, id: string): Promise<unknown> {
      const text = await redis.hget(keys.undo(person), id);
      if (text === null) return undefined;
      const value = unseal(seal, record.decode(text).sealed, about(person, id));
      if (value === undefined) alarm({ kind: 'undo', id, reason: unopenable, person });
      const kept = Kept.safeParse(value);
      return kept.success && kept.data.until > now() ? kept.data.before : undefined;
    },
  };
}

const put = script(`
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  if cjson.decode(fields[i + 1]).expiresAt <= tonumber(ARGV[1]) then redis.call('HDEL', KEYS[1], fields[i]) end
end
redis.call('HSET', KEYS[1], ARGV[3], ARGV[4])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 1`);
