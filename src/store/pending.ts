import { z } from 'zod';
import type { Ground, Person } from './ground.js';
import { type About, unsealed } from './seal.js';

const THIRTY_MINUTES = 1800;

/** Its time is sealed with it: what was put back into Redis later is not run. */
const Waiting = z.object({ at: z.int(), command: z.unknown() });

/** A command typed before its person was linked; it may hold secrets, so it is sealed whole. */
export function createPending({ redis, forge, keys, seal, now }: Ground) {
  const about = ({ team, user }: Person): About => ['pending', forge, team, user];
  return {
    /** The latest command replaces an earlier one. */
    async put(person: Person, command: unknown): Promise<void> {
      const text = seal.seal(JSON.stringify({ at: now(), command }), about(person));
      await redis.set(keys.pending(person), text, 'EX', THIRTY_MINUTES);
    },

    /** Taken once: a second sign-in finds nothing, nor one after its key is gone. The caller validates what it gets. */
    async take(person: Person): Promise<unknown> {
      const text = await redis.getdel(keys.pending(person));
      const waiting = Waiting.safeParse(text === null ? undefined : unsealed(seal, text, about(person)));
      const fresh = waiting.success && now() - waiting.data.at < THIRTY_MINUTES * 1_000;
      return fresh ? waiting.data.command : undefined;
    },
  };
}
