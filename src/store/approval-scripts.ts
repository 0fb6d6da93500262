import { script } from './script.js';

// KEYS of each: the approval, the active ones by when they need attention, the requester's own. ARGV[1]: the id.

/** The sweep sees it at once until `announced` says that the card is in the outbox. */
export const create = script(`
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'ask', ARGV[2], 'args', ARGV[3], 'state', 'open', 'expiresAt', ARGV[4])
redis.call('ZADD', KEYS[2], ARGV[5], ARGV[1])
redis.call('SADD', KEYS[3], ARGV[1])
return 1`);

const close = `
local function close(state, now)
  redis.call('HSET', KEYS[1], 'state', state)
  redis.call('ZADD', KEYS[2], now, ARGV[1])
  redis.call('SREM', KEYS[3], ARGV[1])
  redis.call('EXPIRE', KEYS[1], 2592000)
end
local state = redis.call('HGET', KEYS[1], 'state')
if not state then return 'unknown' end`;

/** ARGV: now, the person's field, the forge user's field or '', the decision, approve or deny, how many are needed. */
export const decide = script(`${close}
if state ~= 'open' then return 'closed' end
if tonumber(ARGV[2]) >= tonumber(redis.call('HGET', KEYS[1], 'expiresAt')) then return 'expired' end
if redis.call('HEXISTS', KEYS[1], ARGV[3]) == 1 then return 'again' end
if ARGV[4] ~= '' then
  if redis.call('HEXISTS', KEYS[1], ARGV[4]) == 1 then return 'again' end
  redis.call('HSET', KEYS[1], ARGV[4], '1')
end
redis.call('HSET', KEYS[1], ARGV[3], ARGV[5])
if ARGV[6] == 'deny' then
  close('denied', ARGV[2])
  return 'denied'
end
if redis.call('HINCRBY', KEYS[1], 'count', 1) < tonumber(ARGV[7]) then return 'counted' end
redis.call('HSET', KEYS[1], 'state', 'approved')
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
return 'approved'`);

/** ARGV: the person's field, the forge user's field or ''. */
export const unvote = script(`
if redis.call('HGET', KEYS[1], 'state') ~= 'open' or redis.call('HDEL', KEYS[1], ARGV[2]) == 0 then return 0 end
if ARGV[3] ~= '' then redis.call('HDEL', KEYS[1], ARGV[3]) end
redis.call('HINCRBY', KEYS[1], 'count', -1)
return 1`);

/** ARGV: now, the new state, a result or ''. Only an open one can be closed. */
export const closeOpen = script(`${close}
if state ~= 'open' then return 'closed' end
if ARGV[3] == 'expired' and tonumber(ARGV[2]) < tonumber(redis.call('HGET', KEYS[1], 'expiresAt')) then
  return 'early'
end
if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'result', ARGV[4]) end
close(ARGV[3], ARGV[2])
return ARGV[3]`);

/** ARGV: now, until when the claim holds. An expired claim can be taken over; its fence then fails. */
export const claim = script(`
local state = redis.call('HGET', KEYS[1], 'state')
local until_ = tonumber(redis.call('HGET', KEYS[1], 'until') or '0')
if state ~= 'approved' and not (state == 'running' and until_ <= tonumber(ARGV[2])) then return 0 end
redis.call('HSET', KEYS[1], 'state', 'running', 'until', ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
return redis.call('HINCRBY', KEYS[1], 'fence', 1)`);

const held = `
if redis.call('HGET', KEYS[1], 'state') ~= 'running' or redis.call('HGET', KEYS[1], 'fence') ~= ARGV[2] then return 0 end`;

/** ARGV: fence, until. */
export const renew = script(`${held}
redis.call('HSET', KEYS[1], 'until', ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
return 1`);

/** ARGV: fence, now, done or failed, the result. */
export const finish = script(`${held}
redis.call('HSET', KEYS[1], 'state', ARGV[4], 'result', ARGV[5])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
redis.call('SREM', KEYS[3], ARGV[1])
redis.call('EXPIRE', KEYS[1], 2592000)
return 1`);

/** ARGV: the announced state. Decided and announced: nothing is left to do. */
export const announced = script(`
if redis.call('HGET', KEYS[1], 'state') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'told', ARGV[2])
if ARGV[2] == 'open' then
  redis.call('ZADD', KEYS[2], redis.call('HGET', KEYS[1], 'expiresAt'), ARGV[1])
elseif ARGV[2] ~= 'approved' and ARGV[2] ~= 'running' then
  redis.call('ZREM', KEYS[2], ARGV[1])
end
return 1`);
