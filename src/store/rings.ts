import { z } from 'zod';
import type { Ground } from './ground.js';
import { script } from './script.js';
import { texts, versioned } from './value.js';

const Ring = z.object({
  /** The labels of all keys the process can decrypt with, in order. */
  labels: texts,
});
export type Ring = z.infer<typeof Ring>;
const ring = versioned(Ring);

/** A process that is silent for this long counts as gone. */
const silentSeconds = 30;

/** Which keys each running process knows: nothing is sealed that one of them could not open. */
export function createRings({ redis, keys }: Ground) {
  const read = async (who: string, text: string): Promise<Ring[]> => {
    const found = await announce(redis, [keys.rings()], [who, text, silentSeconds]);
    return texts.parse(found).map(ring.decode);
  };
  return {
    /** Publishes what this process knows, and returns what all running ones know, including itself. */
    announce: (who: string, labels: readonly string[]) => read(who, ring.encode({ labels: [...labels] })),
    leave: (who: string) => read(who, ''),
    /** Only reads. */
    running: () => read('', ''),

    /** Keys that have sealed something: one that never did is new. */
    used: async (label: string): Promise<void> => void (await redis.sadd(keys.keysUsed(), label)),
    everUsed: async (): Promise<ReadonlySet<string>> => new Set(await redis.smembers(keys.keysUsed())),
  };
}

const announce = script(`
local now = tonumber(redis.call('TIME')[1])
if ARGV[2] ~= '' then redis.call('HSET', KEYS[1], ARGV[1], now .. ' ' .. ARGV[2])
elseif ARGV[1] ~= '' then redis.call('HDEL', KEYS[1], ARGV[1]) end
local there = {}
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local at, text = string.match(all[i + 1], '^(%d+) (.*)$')
  if now - tonumber(at) <= tonumber(ARGV[3]) then there[#there + 1] = text
  elseif ARGV[1] ~= '' then redis.call('HDEL', KEYS[1], all[i]) end
end
return there`);
