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
  /** Scopes of one workspace, as in `post:T1:C1`, share a slot. */
  const keyOf = (scope: string) => keys.pace({ of: scope.split(':')[1] ?? scope, scope });
  const takeAll = async (limits: readonly (readonly [scope: string, rate: Rate])[]): Promise<number> => {
    const names = limits.map(([scope]) => keyOf(scope));
    const rates = limits.flatMap(([, { intervalMs, burst }]) => [intervalMs, burst]);
    return z.number().parse(await take(redis, names, rates));
  };
  const takeOne = (scope: string, rate: Rate): Promise<number> => takeAll([[scope, rate]]);
  return {
    /** 0: go, and it is counted. Otherwise the milliseconds to wait, without counting. */
    take: takeOne,

    /** The same under several limits of one workspace at once. */
    takeAll,

    /** The same, without counting. */
    look: async (scope: string, { intervalMs, burst }: Rate): Promise<number> =>
      z.number().parse(await look(redis, [keyOf(scope)], [intervalMs, burst])),

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
      await hold(redis, [keyOf(scope)], [forMs + (burst - 1) * intervalMs]);
    },
  };
}

const time = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

const clock = `${time}
local free = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now)
`;

/** KEYS: of each limit. ARGV: interval and burst of each. */
const take = script(`${time}
local wait, free = 0, {}
for at, key in ipairs(KEYS) do
  free[at] = math.max(tonumber(redis.call('GET', key) or '0'), now)
  wait = math.max(wait, free[at] - (ARGV[2 * at] - 1) * ARGV[2 * at - 1] - now)
end
if wait > 0 then return math.ceil(wait) end
for at, key in ipairs(KEYS) do
  local after = free[at] + ARGV[2 * at - 1]
  redis.call('SET', key, string.format('%.0f', after), 'PX', math.ceil(after - now))
end
return 0`);

const look = script(`${clock}
return math.max(0, math.ceil(free - (ARGV[2] - 1) * ARGV[1] - now))`);

const hold = script(`${clock}
local after = math.max(free, now + ARGV[1])
redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.ceil(after - now) + 1)
return 1`);
