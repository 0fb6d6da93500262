import { type Signatures, unverified } from './authentic.js';
import type { Connection } from './redis.js';
import { script } from './script.js';

/** A hash of signed rows, and what each field is signed for. */
export interface SignedHash {
  readonly key: string;
  idOf(field: string): readonly string[];
}

/** Signs rows again; one that changed in between is left alone. */
export function createResigner(redis: Connection, signatures: Signatures) {
  const rewrite = async (
    { key, idOf }: SignedHash,
    textOf: (stored: string, id: readonly string[]) => string | undefined,
  ): Promise<number> => {
    let count = 0;
    for (const [field, stored] of Object.entries(await redis.hgetall(key))) {
      const text = textOf(stored, idOf(field));
      if (text === undefined) continue;
      const next = signatures.sign(text, ...idOf(field));
      if ((await swapField(redis, [key], [field, stored, next])) === 1) count += 1;
    }
    return count;
  };
  const isRefused = (stored: string, id: readonly string[]) => signatures.peek(stored, ...id) === undefined;
  return {
    /** With the current key, so that the older one can be removed. */
    resign: (hash: SignedHash): Promise<number> =>
      rewrite(hash, (stored, id) => (signatures.isCurrent(stored) ? undefined : signatures.peek(stored, ...id))),

    /** Fields of rows that do not count, because none of our keys signed them. */
    async refused({ key, idOf }: SignedHash): Promise<{ readonly field: string; readonly text: string }[]> {
      const rows = Object.entries(await redis.hgetall(key)).filter(([field, stored]) => isRefused(stored, idOf(field)));
      return rows.map(([field, stored]) => ({ field, text: unverified(stored) }));
    },

    /** An operator confirms them. */
    adopt: (hash: SignedHash): Promise<number> =>
      rewrite(hash, (stored, id) => (isRefused(stored, id) ? unverified(stored) : undefined)),
  };
}

const swapField = script(`
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1`);
