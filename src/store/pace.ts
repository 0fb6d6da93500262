import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { type Ground, script } from './ground.js';

export interface Rate {
  /** The average time between calls. */
  readonly intervalMs: number;
  /** How many may come at once. */
  readonly burst: number;
}

/** A rate limit shared by all workers, by Redis' clock; one key per scope, so a 429 only delays its scope. */
export function createPace({ redis, keys }: Ground) {
  const takeOne = async (scope: string, { intervalMs, burst }: Rate): Promise<number> =>
    z.number().parse(await take(redis, [keys.pace({ scope })], [intervalMs, burst]));
  return {
    /** 0: go, and it is counted. Otherwise the milliseconds to wait, without counting. */
    take: takeOne,

    /** The same, without counting. */
    look: async (scope: string, { intervalMs, burst }: Rate): Promise<number> =>
      z.number().parse(await look(redis, [keys.pace({ scope })], [intervalMs, burst])),

    /** Returns when it is time to go; true if it had to wait. */
    async wait(scope: string, rate: Rate): Promise<boolean> {
      for (let waited = false; ; waited = true) {
        const ms = await takeOne(scope, rate);
        if (ms === 0) return waited;
        await pause(ms);
      }
    },

    /** The server sent Retry-After: nothing in this scope goes before that. */
    async hold(scope: string, { intervalMs, burst }: Rate, forMs: number): Promise<void> {
      await hold(redis, [keys.pace({ scope })], [forMs + (burst - 1) * intervalMs]);
    },
  };
}

const clock = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local free = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now)
`;

const take = script(`${clock}
local wait = free - (ARGV[2] - 1) * ARGV[1] - now
if wait > 0 then return math.ceil(wait) end
local after = free + ARGV[1]
redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.ceil(after - now))
return 0`);

const look = script(`${clock}
return math.max(0, math.ceil(free - (ARGV[2] - 1) * ARGV[1] - now))`);

const hold = script(`${clock}
local after = math.max(free, now + ARGV[1])
redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.ceil(after - now) + 1)
return 1`);
