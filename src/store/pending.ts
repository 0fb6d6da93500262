import { z } from 'zod';
import { type Ground, type Person, script } from './ground.js';
import { type About, unopenable, unseal } from './seal.js';

const text = z.string();
const lifeSeconds = 30 * 60;
/** More than anyone requests before linking. */
const mostPending = 20;

/** The time is sealed too: a command restored into Redis later is not run. */
const Waiting = z.object({ at: z.int(), command: z.unknown() });

/** Commands requested before linking; they may contain secrets, so each is sealed as a whole. */
export function createPending({ redis, forge, keys, seal, now, alarm }: Ground) {
  const about = ({ team, user }: Person): About => ['pending', forge, team, user];

  function openAll(text: string, person: Person): readonly unknown[] {
    const value = unseal(seal, text, about(person));
    if (value === undefined)
      alarm({ kind: 'pending', id: `${person.team}/${person.user}`, reason: unopenable, person });
    const waiting = Waiting.safeParse(value);
    const fresh = waiting.success && now() - waiting.data.at < lifeSeconds * 1_000;
    return fresh ? [waiting.data.command] : [];
  }

  return {
    /** Appends; false if there are too many. */
    async put(person: Person, command: unknown): Promise<boolean> {
      const text = seal.seal(JSON.stringify({ at: now(), command }), about(person));
      return (await put(redis, [keys.pending(person)], [text, mostPending, lifeSeconds])) === 1;
    },

    /** The first one still wanted, kept until dropped. Nothing once its key is gone. The caller validates the command. */
    async first(person: Person): Promise<{ readonly command: unknown; drop(): Promise<void> } | undefined> {
      for (;;) {
        const sealed = text.nullable().parse(await first(redis, [keys.pending(person)], []));
        if (sealed === null) return undefined;
        const drop = async () => void (await redis.lrem(keys.pending(person), 1, sealed));
        const [command] = openAll(sealed, person);
        if (command !== undefined) return { command, drop };
        await drop();
      }
    },
  };
}

const put = script(`
if redis.call('TYPE', KEYS[1]).ok == 'string' then redis.call('DEL', KEYS[1]) end
if redis.call('LLEN', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('RPUSH', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1`);

const first = script(`
if redis.call('TYPE', KEYS[1]).ok == 'string' then redis.call('DEL', KEYS[1]) end
return redis.call('LINDEX', KEYS[1], 0)`);
