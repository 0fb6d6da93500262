import { z } from 'zod';
import { type Ground, type Person, script } from './ground.js';
import { queuePrefix } from './keys.js';

/** Per person, counted over all workers. */
const commandsAtOnce = 3;
/** More than anyone waits for. */
export const mostWaiting = 100;

/** Work not stored after this long was refused, or its bot died. */
const unstoredMs = 10_000;
const keepMs = 86_400_000;

/** `tidy` drops what is neither waiting nor running: finished, or never stored. */
const head = `
local now, base = tonumber(ARGV[1]), ARGV[2]
local function tidy(turns, last)
  local gone = 0
  for _, id in ipairs(redis.call('ZRANGE', turns, 0, last)) do
    local job = base .. id
    local over = redis.call('HEXISTS', job, 'finishedOn') == 1
    local lost = redis.call('EXISTS', job) == 0 and tonumber(redis.call('ZSCORE', turns, id)) < now - ${unstoredMs}
    if over or lost then gone = gone + redis.call('ZREM', turns, id) end
  end
  return gone
end
local function line_up(turns, id)
  local last = redis.call('ZREVRANGE', turns, 0, 0, 'WITHSCORES')[2]
  redis.call('ZADD', turns, 'NX', math.max(now, (tonumber(last) or 0) + 1), id)
  redis.call('PEXPIRE', turns, ${keepMs})
end
`;

/** ARGV: now, base, most, id. Returns its position, -1 if there is none. */
const admit = script(`${head}
local turns, most, id = KEYS[1], tonumber(ARGV[3]), ARGV[4]
local place = redis.call('ZRANK', turns, id)
if place then return place end
if redis.call('EXISTS', base .. id) == 1 then return 0 end
place = redis.call('ZCARD', turns)
if place >= most then place = place - tidy(turns, -1) end
if place >= most then return -1 end
line_up(turns, id)
return place`);

/** ARGV: now, base, at once, id. */
const take = script(`${head}
tidy(KEYS[1], tonumber(ARGV[3]) - 1)
line_up(KEYS[1], ARGV[4])
return redis.call('ZRANK', KEYS[1], ARGV[4]) < tonumber(ARGV[3]) and 1 or 0`);

/** ARGV: now, base, at once, id. Returns those whose turn it is. */
const leave = script(`${head}
local last = tonumber(ARGV[3]) - 1
redis.call('ZREM', KEYS[1], ARGV[4])
local gone = tidy(KEYS[1], last)
return redis.call('ZRANGE', KEYS[1], math.max(0, last - gone), last)`);

const Ids = z.array(z.string());

export interface Accepted {
  readonly person: Person;
  readonly id: string;
}

/** Each person's commands in order of acceptance; the first few of each run, so that nobody waits behind others. */
export function createTurns({ redis, forge, keys, now }: Ground) {
  // in the slot of the queue, so that one script sees both
  const base = `${queuePrefix(forge, 'act')}:act:`;
  return {
    /** Queues it behind the person's others. */
    async admit({ person, id }: Accepted): Promise<'now' | 'later' | 'tooMany'> {
      const place = Number(await admit(redis, [keys.turns(person)], [now(), base, mostWaiting, id]));
      return place < 0 ? 'tooMany' : place < commandsAtOnce ? 'now' : 'later';
    },

    /** Whether this one may run now. */
    async take({ person, id }: Accepted): Promise<boolean> {
      return (await take(redis, [keys.turns(person)], [now(), base, commandsAtOnce, id])) === 1;
    },

    /** Whether some bot accepted it: it is waiting, running, or ended within the last day. */
    async isAccepted(id: string): Promise<boolean> {
      return (await redis.exists(`${base}${id}`)) === 1;
    },

    /** Their commands that were accepted before this one and have not ended. */
    async ahead({ person, id }: Accepted): Promise<readonly string[]> {
      const all = await redis.zrange(keys.turns(person), '0', '-1');
      return all.slice(0, Math.max(0, all.indexOf(id)));
    },

    /** It is done; returns the ids whose turn it is. */
    async leave({ person, id }: Accepted): Promise<string[]> {
      return Ids.parse(await leave(redis, [keys.turns(person)], [now(), base, commandsAtOnce, id]));
    },
  };
}
