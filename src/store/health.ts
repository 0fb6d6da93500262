import { type Log, warnSeldom } from '../log.js';
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

/** For logs: every connection and queue reports the same trouble, which is told once a minute. */
export function redisTrouble(log: Log): (error: Error) => void {
  return (error) => {
    const refusal = refusalOf(error);
    const away = /ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|Connection is closed|Sentinel/.test(
      error.message,
    );
    const subject = refusal ?? (away ? 'away' : error.message.slice(0, 60));
    warnSeldom(log, subject, { reason: error.message }, refusal ?? (away ? 'Redis cannot be reached' : 'Redis'));
  };
}

/** Rejects with the reason where Redis cannot do what Bellows needs: keep what it is given. */
export async function checkRedis(redis: Connection, namespace: string): Promise<void> {
  try {
    await redis.set(createKeys(namespace).probe(), '1', 'EX', 60);
  } catch (error) {
    throw new Error(refusalOf(error) ?? (error instanceof Error ? error.message : 'unknown'), { cause: error });
  }
  if ((await readNamespace(redis, namespace)) === undefined) throw new Error('Redis is empty: its data was deleted');
}
