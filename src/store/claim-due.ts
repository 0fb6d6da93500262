import type { Connection } from './redis.js';
import { script } from './script.js';
import { texts } from './value.js';

interface Claim {
  readonly now: number;
  /** Whatever its claimer leaves undone is due again then. */
  readonly until: number;
  readonly limit: number;
}

/** What is due, each for one caller: the earliest members of a sorted set of times. */
export async function claimDue(redis: Connection, key: string, { now, until, limit }: Claim): Promise<string[]> {
  return texts.parse(await claim(redis, [key], [now, until, limit]));
}

const claim = script(`
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
for _, member in ipairs(due) do redis.call('ZADD', KEYS[1], ARGV[2], member) end
return due`);
