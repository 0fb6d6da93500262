import { z } from 'zod';
import { createSignatures } from './authentic.js';
import { type Ground, type Person, versionedCodec } from './ground.js';

const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);

const Settings = z.object({
  /** Kinds of personal messages, on or off; missing ones keep their default. */
  kinds: z.record(z.string(), z.boolean()),
  /** In the person's local time; may span midnight. */
  quiet: z.object({ from: time, to: time }).nullable(),
  /** Until when the person is not proposed as a reviewer. */
  away: z.int().optional(),
  /** off: replies in synced threads stay in Slack. The others come from a version that asked once for all repositories. */
  replies: z.enum(['on', 'off', 'asked']).optional(),
  /** By repository: whether they become comments, and who could read them when this was agreed; asked: not answered yet. */
  repliesIn: z.record(z.string(), z.enum(['public', 'hidden', 'off', 'asked'])).optional(),
  /** By repository: when they agreed. A reply written before stays in Slack, however late Slack delivers it. */
  repliesSince: z.record(z.string(), z.int()).optional(),
});
export type Settings = z.infer<typeof Settings>;
const settings = versionedCodec(Settings);

const untouched: Settings = { kinds: {}, quiet: null };

/** Signed: they decide whether a person's replies in a thread become their comments. */
export function createSettings(ground: Ground) {
  const { redis, keys } = ground;
  const signatures = createSignatures(ground, 'settings');
  const put = async (person: Person, value: Settings): Promise<void> => {
    const { team, user } = person;
    await redis.set(keys.settings(person), signatures.sign(settings.encode(value), team, user));
  };
  return {
    put,

    async get(person: Person): Promise<Settings> {
      const stored = await redis.get(keys.settings(person));
      if (stored === null) return untouched;
      const { team, user } = person;
      const text = signatures.read(stored, team, user);
      if (text === undefined) return untouched;
      const value = settings.decode(text);
      // an older key may be removed soon
      if (!signatures.isCurrent(stored)) await put(person, value);
      return value;
    },
  };
}
