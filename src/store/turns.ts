import { z } from 'zod';
import { type Ground, type Person, script } from './ground.js';

/** Per person, counted over all workers. */
const commandsAtOnce = 3;
/** More than anyone waits for. */
export const mostWaiting = 100;

const keepMs = 86_400_000;
/** Of each person, so that a redelivered command gets no second turn. */
const mostEnded = 100;

const head = `
local now, id = tonumber(ARGV[1]), ARGV[3]
local function line_up(turns)
  local last = redis.call('ZREVRANGE', turns, 0, 0, 'WITHSCORES')[2]
  redis.call('ZADD', turns, 'NX', math.max(now, (tonumber(last) or 0) + 1), id)
  redis.call('PEXPIRE', turns, ${keepMs})
end
`;

/** KEYS: turns, ended. ARGV: now, most, id. Returns its position, -1 if there is none. */
const admit = script(`${head}
local place = redis.call('ZRANK', KEYS[1], id)
if place then return place end
if redis.call('ZSCORE', KEYS[2], id) then return 0 end
place = redis.call('ZCARD', KEYS[1])
if place >= tonumber(ARGV[2]) then return -1 end
line_up(KEYS[1])
return place`);

/** KEYS: turns. ARGV: now, at once, id. Returns who holds the turns, or nothing if it has one itself. */
const take = script(`${head}
line_up(KEYS[1])
local most = tonumber(ARGV[2])
if redis.call('ZRANK', KEYS[1], id) < most then return {} end
return redis.call('ZRANGE', KEYS[1], 0, most - 1, 'WITHSCORES')`);

/** KEYS: turns, ended. ARGV: now, at once, id. Returns the one whose turn it is. */
const leave = script(`${head}
local last = tonumber(ARGV[2]) - 1
redis.call('ZREM', KEYS[1], id)
redis.call('ZADD', KEYS[2], now, id)
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -${mostEnded + 1})
redis.call('PEXPIRE', KEYS[2], ${keepMs})
return redis.call('ZRANGE', KEYS[1], last, last)`);

const Ids = z.array(z.string());

export interface Accepted {
  readonly person: Person;
  readonly id: string;
}

/** A command that holds a turn, and since when it is in line. */
export interface Turn {
  readonly id: string;
  readonly at: number;
}

const readTurns = (reply: unknown): readonly Turn[] => {
  const rows = Ids.parse(reply);
  return rows.flatMap((id, at) => (at % 2 === 0 ? [{ id, at: Number(rows[at + 1]) }] : []));
};

/** Each person's commands in order of acceptance; the first few of each run, so that nobody waits behind others. */
export function createTurns({ redis, keys, now }: Ground) {
  const both = (person: Person) => [keys.turns(person), keys.turnsEnded(person)];
  return {
    /** Queues it behind the person's others. */
    async admit({ person, id }: Accepted): Promise<'now' | 'later' | 'tooMany'> {
      const place = Number(await admit(redis, both(person), [now(), mostWaiting, id]));
      return place < 0 ? 'tooMany' : place < commandsAtOnce ? 'now' : 'later';
    },

    /** Those it has to wait for; none if it may run now. */
    async take({ person, id }: Accepted): Promise<readonly Turn[]> {
      return readTurns(await take(redis, [keys.turns(person)], [now(), commandsAtOnce, id]));
    },

    /** Those that may run now. */
    async holders(person: Person): Promise<readonly Turn[]> {
      return readTurns(await redis.zrange(keys.turns(person), '0', String(commandsAtOnce - 1), 'WITHSCORES'));
    },

    /** Whether some bot accepted it: it is waiting, running, or one of the last that ended within a day. */
    async isAccepted({ person, id }: Accepted): Promise<boolean> {
      const found = await Promise.all(both(person).map((key) => redis.zscore(key, id)));
      return found.some((score) => score !== null);
    },

    /** Their commands that were accepted before this one and have not ended. */
    async ahead({ person, id }: Accepted): Promise<readonly string[]> {
      const all = await redis.zrange(keys.turns(person), '0', '-1');
      return all.slice(0, Math.max(0, all.indexOf(id)));
    },

    /** It is done; returns the one whose turn it is, if any waits. */
    async leave({ person, id }: Accepted): Promise<string | undefined> {
      return Ids.parse(await leave(redis, both(person), [now(), commandsAtOnce, id]))[0];
    },
  };
}
