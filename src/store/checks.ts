import { z } from 'zod';
import { type Ground, script, versionedCodec } from './ground.js';
import { claimDue } from './later.js';

const Watched = z.object({
  fullName: z.string(),
  number: z.int(),
  /** Its branch, and the commit whose checks are shown. */
  head: z.string().optional(),
  sha: z.string().optional(),
  /** The checks as last shown, and since when. */
  shown: z.string(),
  changedAt: z.int(),
});
export type WatchedPull = z.infer<typeof Watched>;
const watched = versionedCodec(Watched);

export interface DuePull {
  readonly repo: number;
  readonly thread: string;
  readonly pull: WatchedPull;
}

/** Further ones are only redrawn by their own events. */
const mostInRepository = 500;
const lifeMs = 30 * 86_400_000;

/** Open pull requests whose cards show checks. Idle ones have no due time; a push or a run wakes them. */
export function createChecks({ redis, keys, now }: Ground) {
  const of = (repo: number) => keys.checksOf({ repo });
  return {
    /** Checked again after this; undefined: not until something wakes it. */
    async put(repo: number, thread: string, pull: WatchedPull, afterMs: number | undefined): Promise<void> {
      const due = afterMs === undefined ? '' : now() + afterMs;
      const row = watched.encode(pull);
      await put(redis, [of(repo), keys.checksDue()], [thread, row, due, `${repo} ${thread}`, mostInRepository, lifeMs]);
    },

    /** Each goes to one caller, who has `holdMs` for it. */
    async due(limit: number, holdMs: number): Promise<DuePull[]> {
      const members = await claimDue(redis, keys.checksDue(), { now: now(), until: now() + holdMs, limit });
      const found = members.map(async (member): Promise<DuePull[]> => {
        const [id = '', thread = ''] = member.split(' ');
        const stored = await redis.hget(of(Number(id)), thread);
        const pull = stored === null ? undefined : watched.decode(stored);
        if (pull) return [{ repo: Number(id), thread, pull }];
        await drop(redis, [of(Number(id)), keys.checksDue()], [thread, member]);
        return [];
      });
      return (await Promise.all(found)).flat();
    },

    /** A branch was pushed, a commit was checked or a review was requested: cards that show it are checked soon. */
    async wake(
      repo: number,
      moved: { readonly branch?: string; readonly sha?: string; readonly thread?: string },
      afterMs: number,
    ): Promise<void> {
      for (const [thread, stored] of Object.entries(await redis.hgetall(of(repo)))) {
        const pull = watched.decode(stored);
        const isSame = (mine: string | undefined, other: string | undefined) => mine !== undefined && mine === other;
        const isMoved = isSame(pull.head, moved.branch) || isSame(pull.sha, moved.sha) || thread === moved.thread;
        if (!isMoved) continue;
        const at = now() + afterMs;
        const before = await redis.zscore(keys.checksDue(), `${repo} ${thread}`);
        // a series of wake-ups must not postpone it again and again
        const soonest = before === null ? at : Math.min(at, Math.max(Number(before), now()));
        await this.put(repo, thread, { ...pull, changedAt: now() }, soonest - now());
      }
    },

    async drop(repo: number, thread: string): Promise<void> {
      await drop(redis, [of(repo), keys.checksDue()], [thread, `${repo} ${thread}`]);
    },
  };
}

// KEYS: the repository's pull requests, when each is due

/** ARGV: thread, row, due, member, most, life. */
const put = script(`
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[5]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[6])
if ARGV[3] == '' then return redis.call('ZREM', KEYS[2], ARGV[4]) end
return redis.call('ZADD', KEYS[2], ARGV[3], ARGV[4])`);

/** ARGV: thread, member. */
const drop = script(`
redis.call('HDEL', KEYS[1], ARGV[1])
return redis.call('ZREM', KEYS[2], ARGV[2])`);
