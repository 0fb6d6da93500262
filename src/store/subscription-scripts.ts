import { script } from './script.js';

// The two indexes are hashes without values: small ones take less space than small sets.
// KEYS: rows, the channel's, the old owner's, the new owner's, names.
// ARGV: field, old row or '', new row or '', target, the owner's entry, shelf, name.
export const swapRow = script(`
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[3], ARGV[5])
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('HDEL', KEYS[2], ARGV[4])
  if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('HDEL', KEYS[5], ARGV[6]) end
else
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
  redis.call('HSET', KEYS[2], ARGV[4], '')
  redis.call('HSET', KEYS[4], ARGV[5], '')
  if ARGV[7] ~= '' then redis.call('HSET', KEYS[5], ARGV[6], ARGV[7]) end
end
return 1`);

export const renameRow = script(`
local old = redis.call('HGET', KEYS[1], ARGV[1])
if not old or old == ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[2], string.lower(old), ARGV[1])
return 1`);
