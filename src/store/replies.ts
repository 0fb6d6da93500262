import { z } from 'zod';
import { createSignatures } from './authentic.js';
import { type Ground, type Place, versionedCodec } from './ground.js';

const Reply = z.object({
  /** The comment's id at the forge. */
  comment: z.int(),
  owner: z.string(),
  repo: z.string(),
  /** Absent where the forge did not say. */
  repoId: z.int().optional(),
  /** Who wrote it, and as which forge user it was posted. */
  user: z.string(),
  login: z.string(),
});
export type Reply = z.infer<typeof Reply>;
const reply = versionedCodec(Reply);

const replySeconds = 3_600;
const repliedSeconds = 2 * 86_400;
const underWayMs = 60_000;
const replyingSeconds = 10 * 60;
const saidSeconds = 3_600;

const actionOf = (login: string, command: string): string => `${login.toLowerCase()} ${command}`;

/** Whose job sends it, and since when. */
const underWay = versionedCodec(z.object({ user: z.string().default(''), job: z.string(), at: z.number() }));

/** Replies in a card's thread that became comments. Signed: an edit is sent to the comment stored here. */
export function createReplies(ground: Ground) {
  const { redis, keys, now } = ground;
  const signatures = createSignatures(ground, 'reply');
  return {
    /** A comment on this item is about to be sent: until its id is known, none is shown there. */
    async begin(place: Place, item: string, user: string, job = ''): Promise<void> {
      const text = underWay.encode({ user, job, at: now() });
      await redis.set(keys.replying({ ...place, item }), text, 'EX', replyingSeconds);
    },

    async end(place: Place, item: string): Promise<void> {
      await redis.del(keys.replying({ ...place, item }));
    },

    /** For a minute, and longer if its worker died and no other has picked up the job yet. */
    async isUnderWay(place: Place, item: string): Promise<boolean> {
      const text = await redis.get(keys.replying({ ...place, item }));
      if (text === null) return false;
      const { user, job, at } = underWay.decode(text);
      if (now() - at < underWayMs) return true;
      return (await redis.zscore(keys.turns({ team: place.team, user }), job)) !== null;
    },

    /** An answer in this item's thread is about to say what this login does; `at` is when. */
    async say(place: Place, item: string, login: string, command: string): Promise<void> {
      await redis.set(keys.said({ ...place, item, action: actionOf(login, command) }), now(), 'EX', saidSeconds);
    },

    async unsay(place: Place, item: string, login: string, command: string): Promise<void> {
      await redis.del(keys.said({ ...place, item, action: actionOf(login, command) }));
    },

    /** When that was, if it was within the last hour. */
    async saidAt(place: Place, item: string, login: string, command: string): Promise<number | undefined> {
      const at = await redis.get(keys.said({ ...place, item, action: actionOf(login, command) }));
      return at === null ? undefined : Number(at);
    },

    async keep({ team, channel }: Place, ts: string, posted: Reply): Promise<void> {
      const text = signatures.sign(reply.encode(posted), team, channel, ts);
      await redis.set(keys.reply({ team, channel, ts }), text, 'EX', replySeconds);
      const { comment } = posted;
      await redis.set(
        keys.replied({ team, channel, comment }),
        signatures.sign(ts, team, channel, `c${comment}`),
        'EX',
        repliedSeconds,
      );
    },

    async get({ team, channel }: Place, ts: string): Promise<Reply | undefined> {
      const stored = await redis.get(keys.reply({ team, channel, ts }));
      const text = stored === null ? undefined : signatures.read(stored, team, channel, ts);
      return text === undefined ? undefined : reply.decode(text);
    },

    /** Whether this comment was written as a reply in this channel. */
    async isFromHere({ team, channel }: Place, comment: number): Promise<boolean> {
      const stored = await redis.get(keys.replied({ team, channel, comment }));
      return stored !== null && signatures.read(stored, team, channel, `c${comment}`) !== undefined;
    },
  };
}
