import { z } from 'zod';
import { createSignatures } from './authentic.js';
import { type Ground, type Person, type Place, script, texts, versionedCodec } from './ground.js';
import { resignRows } from './resign.js';

const Reminder = z.object({
  id: z.string(),
  team: z.string(),
  /** Where it is posted; a direct message if it is personal. */
  channel: z.string(),
  /** The Slack user who created it. */
  owner: z.string(),
  /** The owner's own review requests, read with the owner's own account. */
  personal: z.boolean(),
  /** None: what the channel follows at that moment. */
  repositories: z.array(z.object({ id: z.int(), owner: z.string(), name: z.string() })),
  /** `daily`, `weekdays` or days: mon … sun. */
  days: texts,
  time: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/),
  /** IANA name: 9:30 stays 9:30 across daylight saving time. */
  zone: z.string(),
  /** How long a pull request must have waited, in seconds. */
  olderThan: z.int().optional(),
  /** Any of these, and none of those. */
  labels: texts,
  without: texts,
  drafts: z.boolean(),
  /** Instead of review requests: a report about this repository or owner. */
  report: z.string().optional(),
  /** Instead of review requests: the pull requests of bots, as one card. */
  bots: z.boolean().optional(),
  createdAt: z.int(),
});
export type Reminder = z.infer<typeof Reminder>;
const row = versionedCodec(Reminder);

/** Recurring reminders. The records are authoritative; nothing else knows what is due. */
export function createReminders(ground: Ground) {
  const { redis, keys, now } = ground;
  const signatures = createSignatures(ground, 'reminder');
  const both = [keys.reminders(), keys.remindersChanged()];
  /** Undefined if someone else wrote it: it shows what its owner sees. */
  const read = (id: string, stored: string): Reminder | undefined => {
    const text = signatures.read(stored, id);
    return text === undefined ? undefined : row.decode(text);
  };
  const all = async (): Promise<Reminder[]> =>
    Object.entries(await redis.hgetall(keys.reminders())).flatMap(([id, stored]) => read(id, stored) ?? []);
  const remove = async (id: string): Promise<boolean> => (await drop(redis, both, [id])) === 1;
  return {
    all,
    remove,

    async put(reminder: Omit<Reminder, 'createdAt'>): Promise<Reminder> {
      const made = { ...reminder, createdAt: now() };
      await put(redis, both, [made.id, signatures.sign(row.encode(made), made.id)]);
      return made;
    },

    async get(id: string): Promise<Reminder | undefined> {
      const stored = await redis.hget(keys.reminders(), id);
      return stored === null ? undefined : read(id, stored);
    },

    inChannel: async ({ team, channel }: Place): Promise<Reminder[]> =>
      (await all()).filter((each) => each.team === team && each.channel === channel),

    ownedBy: async ({ team, user }: Person): Promise<Reminder[]> =>
      (await all()).filter((each) => each.team === team && each.owner === user),

    /** Until when everything due was found; undefined before the first look. */
    async lookedAt(): Promise<number | undefined> {
      const text = await redis.get(keys.remindersLooked());
      return text === null ? undefined : Number(text);
    },
    async recordLook(at: number): Promise<void> {
      await redis.set(keys.remindersLooked(), at);
    },

    resign: () => resignRows(redis, signatures, { key: keys.reminders(), idOf: (id) => [id] }),

    /** Increases with every change, so that a reader of all knows when to reload. */
    changes: async (): Promise<number> => Number((await redis.get(keys.remindersChanged())) ?? 0),
  };
}

const put = script(`
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('INCR', KEYS[2])
return 1`);

const drop = script(`
local gone = redis.call('HDEL', KEYS[1], ARGV[1])
if gone == 1 then redis.call('INCR', KEYS[2]) end
return gone`);
