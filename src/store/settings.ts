import { z } from 'zod';
import type { Ground, Person } from './ground.js';
import { versioned } from './value.js';

const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);

const Settings = z.object({
  /** Kinds of personal message, on or off; a kind not named keeps its default. */
  kinds: z.record(z.string(), z.boolean()),
  /** Local times of the person; may run over midnight. */
  quiet: z.object({ from: time, to: time }).nullable(),
  /** Whether replies in synced threads become comments; asked: not answered yet. */
  replies: z.enum(['on', 'off', 'asked']).optional(),
});
export type Settings = z.infer<typeof Settings>;
const settings = versioned(Settings);

const untouched: Settings = { kinds: {}, quiet: null };

export function createSettings({ redis, keys }: Ground) {
  return {
    async get(person: Person): Promise<Settings> {
      const text = await redis.get(keys.settings(person));
      return text === null ? untouched : settings.decode(text);
    },

    async put(person: Person, value: Settings): Promise<void> {
      await redis.set(keys.settings(person), settings.encode(value));
    },
  };
}
