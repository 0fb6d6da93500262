import { type Signatures, unverified } from './authentic.js';
import type { Connection } from './redis.js';
import { script } from './script.js';

/** A hash of signed rows, and what each of its fields is signed for. */
export interface SignedHash {
  readonly key: string;
  idOf(field: string): readonly string[];
}

/** Signs rows anew; one that changed in the meantime is left alone. */
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
    /** Under the key that signs now, so that the older one can be taken away. */
    resign: (hash: SignedHash): Promise<number> =>
      rewrite(hash, (stored, id) => (signatures.isCurrent(stored) ? undefined : signatures.peek(stored, ...id))),

    /** Fields of rows that count for nothing, because no key we have signed them. */
    async refused({ key, idOf }: SignedHash): Promise<{ readonly field: string; readonly text: string }[]> {
      const rows = Object.entries(await redis.hgetall(key)).filter(([field, stored]) => isRefused(stored, idOf(field)));
      return rows.map(([field, stored]) => ({ field, text: unverified(stored) }));
    },

    /** An operator vouches for them. */
    adopt: (hash: SignedHash): Promise<number> =>
      rewrite(hash, (stored, id) => (isRefused(stored, id) ? unverified(stored) : undefined)),
  };
}

const swapField = script(`
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1`);
