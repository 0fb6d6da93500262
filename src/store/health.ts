import { createKeys } from './keys.js';
import { readNamespace } from './namespace.js';
import type { Connection } from './redis.js';

/** Redis' own words for why it takes no writes, wherever in the message a script puts them. */
const refusals: readonly (readonly [word: RegExp, says: string])[] = [
  [/\bOOM\b/, 'Redis is full: raise maxmemory'],
  [/\bREADONLY\b/, 'Redis is read-only: this server is a replica'],
  [/\bMISCONF\b/, 'Redis cannot save to disk and refuses writes'],
];

/** Undefined where the error says nothing about Redis as a whole. */
export const refusalOf = (error: unknown): string | undefined =>
  error instanceof Error ? refusals.find(([word]) => word.test(error.message))?.[1] : undefined;

/** Rejects with the reason where Redis cannot do what Bellows needs: keep what it is given. */
export async function checkRedis(redis: Connection, namespace: string): Promise<void> {
  try {
    await redis.set(createKeys(namespace).probe(), '1', 'EX', 60);
  } catch (error) {
    throw new Error(refusalOf(error) ?? (error instanceof Error ? error.message : 'unknown'), { cause: error });
  }
  if ((await readNamespace(redis, namespace)) === undefined) throw new Error('Redis is empty: its data was deleted');
}
