import { script } from './script.js';

// KEYS: the accounts, their index, who is revoked; ARGV[1]: the user.

const unindex = `
local old = redis.call('HGET', KEYS[1], ARGV[1])
if old then
  for _, entry in ipairs(cjson.decode(old).index) do redis.call('ZREM', KEYS[2], entry) end
end`;

export const put = script(`${unindex}
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
for _, entry in ipairs(cjson.decode(ARGV[2]).index) do redis.call('ZADD', KEYS[2], 0, entry) end
redis.call('SREM', KEYS[3], ARGV[1])
return 1`);

export const forget = script(`${unindex}
redis.call('SREM', KEYS[3], ARGV[1])
redis.call('DEL', unpack(KEYS, 4))
return redis.call('HDEL', KEYS[1], ARGV[1])`);

// a late report about an older link must not undo a new one
export const revoke = script(`
local text = redis.call('HGET', KEYS[1], ARGV[1])
if not text or string.format('%.0f', cjson.decode(text).linkedAt) ~= ARGV[2] then return 0 end
return redis.call('SADD', KEYS[3], ARGV[1])`);

// only if nothing else has changed it since it was read, such as a renewal
export const move = script(`
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
${unindex}
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
for _, entry in ipairs(cjson.decode(ARGV[3]).index) do redis.call('ZADD', KEYS[2], 0, entry) end
return 1`);

export const replace = script(`
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1`);
