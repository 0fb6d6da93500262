import { held } from './lease.js';
import { script } from './script.js';

// KEYS of each: order, entries, cards, intent, state; then the script's own.

/** The entries of the post that was begun. */
const flying = `
local begun = redis.call('GET', KEYS[4])
local flying = {}
if begun then
  for _, id in ipairs(cjson.decode(begun).entries) do flying[id] = true end
end
`;

/** KEYS[6]: known ids. ARGV: now, the time before which ids are forgotten, then id, card, entry of each. */
export const append = script(`${flying}
redis.call('ZREMRANGEBYSCORE', KEYS[6], '-inf', ARGV[2])
local added = 0
for i = 3, #ARGV, 3 do
  local id, card, text = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  if redis.call('ZADD', KEYS[6], 'NX', ARGV[1], id) == 1 then
    added = added + 1
    local old = card ~= '' and redis.call('HGET', KEYS[3], card)
    local place = false
    if old and not flying[old] then
      place = redis.call('ZSCORE', KEYS[1], old)
      redis.call('ZREM', KEYS[1], old)
      redis.call('HDEL', KEYS[2], old)
    end
    redis.call('ZADD', KEYS[1], place or redis.call('HINCRBY', KEYS[5], 'seq', 1), id)
    redis.call('HSET', KEYS[2], id, text)
    if card ~= '' then redis.call('HSET', KEYS[3], card, id) end
  end
end
redis.call('PEXPIRE', KEYS[6], ARGV[1] - ARGV[2])
return added`);

/** KEYS[6]: set aside. ARGV: how many entries. */
export const view = script(`
local out = {
  redis.call('ZCARD', KEYS[1]),
  redis.call('HLEN', KEYS[6]),
  redis.call('GET', KEYS[4]) or '',
  redis.call('HGET', KEYS[5], 'pause') or '',
  redis.call('HGET', KEYS[5], 'notBefore') or '',
  redis.call('HGET', KEYS[5], 'trouble') or '',
}
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, tonumber(ARGV[1]) - 1)) do
  out[#out + 1] = id
  out[#out + 1] = redis.call('HGET', KEYS[2], id) or ''
end
return out`);

/** ARGV: token, intent, ids. */
export const begin = script(`${held}
if redis.call('EXISTS', KEYS[4]) == 1 then return 0 end
for i = 3, #ARGV do
  if redis.call('HEXISTS', KEYS[2], ARGV[i]) == 0 then return 0 end
end
redis.call('SET', KEYS[4], ARGV[2])
return 1`);

const remove = `
local function remove(id)
  local read, row = pcall(cjson.decode, string.match(redis.call('HGET', KEYS[2], id) or '', '{.*') or '{}')
  local card = read and type(row) == 'table' and type(row.card) == 'string' and row.card
  if card and redis.call('HGET', KEYS[3], card) == id then redis.call('HDEL', KEYS[3], card) end
  redis.call('HDEL', KEYS[2], id)
  redis.call('ZREM', KEYS[1], id)
end
`;

const sameIntent = `
local begun = redis.call('GET', KEYS[4])
begun = begun and cjson.decode(begun)
if not begun or begun.id ~= ARGV[2] then return 0 end
`;

/** KEYS[6], KEYS[7]: the thread and its message's item. ARGV: token, intent id, thread or '', item, life in seconds. */
export const done = script(`${held}${remove}${sameIntent}
for _, id in ipairs(begun.entries) do remove(id) end
redis.call('DEL', KEYS[4])
redis.call('HDEL', KEYS[5], 'notBefore', 'trouble')
if ARGV[3] ~= '' then
  redis.call('SET', KEYS[6], ARGV[3], 'EX', ARGV[5])
  redis.call('SET', KEYS[7], ARGV[4], 'EX', ARGV[5])
end
return 1`);

/** ARGV: token, intent id, time or '', then id and new text of each entry that may be posted already. */
export const again = script(`${held}${sameIntent}
redis.call('DEL', KEYS[4])
if ARGV[3] ~= '' then redis.call('HSET', KEYS[5], 'notBefore', ARGV[3]) end
for i = 4, #ARGV, 2 do
  if redis.call('HEXISTS', KEYS[2], ARGV[i]) == 1 then redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
end
return 1`);

/** ARGV: token, ids. */
export const drop = script(`${held}${remove}
for i = 2, #ARGV do remove(ARGV[i]) end
return 1`);

/** ARGV: ids. */
export const forget = script(`${remove}${flying}
for _, id in ipairs(ARGV) do
  if not flying[id] then remove(id) end
end
return 1`);

/** KEYS[6]: set aside. ARGV: token, intent id or '', life in ms, most, then id and row of each. */
export const setAside = script(`${held}${remove}
for i = 5, #ARGV, 2 do
  if redis.call('HLEN', KEYS[6]) < tonumber(ARGV[4]) then redis.call('HSET', KEYS[6], ARGV[i], ARGV[i + 1]) end
  remove(ARGV[i])
end
if ARGV[2] ~= '' then redis.call('DEL', KEYS[4]) end
redis.call('HDEL', KEYS[5], 'notBefore', 'trouble')
redis.call('PEXPIRE', KEYS[6], ARGV[3])
return 1`);

/** KEYS[6]: set aside. ARGV: token, then id, place in the queue or '', entry of each. Returns how many came back. */
export const revive = script(`${held}
for i = 2, #ARGV, 3 do
  local place = ARGV[i + 1]
  if place == '' then place = redis.call('HINCRBY', KEYS[5], 'seq', 1) end
  redis.call('ZADD', KEYS[1], place, ARGV[i])
  redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 2])
  redis.call('HDEL', KEYS[6], ARGV[i])
end
return (#ARGV - 1) / 3`);
