import { LRUCache } from 'lru-cache';
import { isRefused } from '../forge/possible.js';
import { growTo } from '../memory.js';

/** How long a refused account is waited for: enough for a restart or a new token. */
const patienceMs = 10 * 60_000;
const rememberMs = 24 * 3_600_000;

/** Waits while the forge refuses an account, but not for good: then the answer is no. */
export function createPatience(now: () => number) {
  const refused = new LRUCache<string, { readonly since: number; readonly last: number }>(growTo(10_000));

  return async <T>(account: string, asking: Promise<T>): Promise<T | false> => {
    try {
      const answer = await asking;
      refused.delete(account);
      return answer;
    } catch (error) {
      if (!isRefused(error)) throw error;
      const before = refused.get(account);
      // only an account that worked since, or was not asked for a day, is waited for again
      const since = before && now() - before.last < rememberMs ? before.since : now();
      refused.set(account, { since, last: now() });
      if (now() - since < patienceMs) throw error;
      return false;
    }
  };
}
