import type { Signatures } from './authentic.js';
import { script } from './ground.js';
import type { Connection } from './redis.js';

/** A hash of signed rows, and what each field is signed for. */
export interface SignedHash {
  readonly key: string;
  idOf(field: string): readonly string[];
}

/** Signs rows with the current key, so that the older one can be removed; one that changed in between is left alone. */
export async function resignRows(
  redis: Connection,
  signatures: Signatures,
  { key, idOf }: SignedHash,
): Promise<number> {
  let count = 0;
  for (const [field, stored] of Object.entries(await redis.hgetall(key))) {
    const id = idOf(field);
    const text = signatures.isCurrent(stored) ? undefined : signatures.peek(stored, ...id);
    if (text === undefined) continue;
    if ((await swapField(redis, [key], [field, stored, signatures.sign(text, ...id)])) === 1) count += 1;
  }
  return count;
}

const swapField = script(`
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1`);
