import type { AuditHead, RawRow } from './audit.js';
import { auditAbout, chained, readRaw } from './audit.js';
import type { Ground } from './ground.js';
import { script } from './script.js';

const pageSize = 200;
const batchSize = 1_000;

/** Restores the chain to our last row; what someone else added after it is set aside, not lost. */
export function createRepair({ redis, forge, keys, seal, alarm }: Ground, origin: () => Promise<AuditHead>) {
  const all = [keys.auditChain(), keys.auditHead(), keys.auditForeign()];

  const follows = (row: RawRow, before: AuditHead): boolean =>
    row.id === `${before.seq + 1}-0` && seal.checkMac(row.hash, chained(before, row.text), auditAbout(forge));

  /** The newest row that continues the one before it, however much was added after it. */
  async function lastOfOurs(): Promise<AuditHead> {
    let later: RawRow | undefined;
    for (let from = '+'; ; ) {
      const page = (await redis.xrevrange(keys.auditChain(), from, '-', 'COUNT', pageSize)).map(readRaw);
      for (const row of page) {
        from = `(${row.id}`;
        // Bellows uses whole row numbers, so a row in between is never the previous one.
        if (!row.id.endsWith('-0')) continue;
        if (later && follows(later, row)) return { seq: later.seq, hash: later.hash };
        later = row;
      }
      if (page.length < pageSize) break;
    }
    const first = await origin();
    return later && follows(later, first) ? { seq: later.seq, hash: later.hash } : first;
  }

  return {
    async repair(): Promise<void> {
      const [seq, hash] = await redis.hmget(keys.auditHead(), 'seq', 'hash');
      const last = await lastOfOurs();
      const reason = `rows after ${last.seq} were not written by Bellows`;
      const args = [seq ?? '', hash ?? '', last.seq, last.hash, batchSize];
      while ((await setAside(redis, all, args)) === 1) {}
      alarm({ kind: 'audit', id: `after row ${last.seq}`, reason });
    },

    /** What was set aside, unchanged. */
    foreign: (): Promise<string[]> => redis.lrange(keys.auditForeign(), 0, -1),
  };
}

/** ARGV: the head as found, our last row, how many at once. 1: there are more. */
const setAside = script(`
if (redis.call('HGET', KEYS[2], 'seq') or '') ~= ARGV[1] or (redis.call('HGET', KEYS[2], 'hash') or '') ~= ARGV[2] then return 0 end
local rows = redis.call('XRANGE', KEYS[1], '(' .. ARGV[3] .. '-0', '+', 'COUNT', ARGV[5])
for _, row in ipairs(rows) do
  redis.call('RPUSH', KEYS[3], string.sub(row[1] .. ' ' .. table.concat(row[2], ' '), 1, 2000))
  redis.call('XDEL', KEYS[1], row[1])
end
redis.call('LTRIM', KEYS[3], -1000, -1)
if #rows == tonumber(ARGV[5]) then return 1 end
if redis.call('EXISTS', KEYS[1]) == 1 then
  local back = redis.pcall('XSETID', KEYS[1], ARGV[3] .. '-0')
  if type(back) == 'table' and back.err then
    -- where Redis does not take a number back the stream is made anew
    local ours = redis.call('XRANGE', KEYS[1], '-', '+')
    redis.call('DEL', KEYS[1])
    for _, row in ipairs(ours) do redis.call('XADD', KEYS[1], row[1], unpack(row[2])) end
  end
end
redis.call('HSET', KEYS[2], 'seq', ARGV[3], 'hash', ARGV[4])
return 0`);
