import { LRUCache } from 'lru-cache';
import { growTo } from '../grow-to.js';

const rememberMs = 10 * 60_000;

/** Answers of look-ups, each asked for again after ten minutes: people relink and rename. A failure is not remembered. */
export function createRemembered<Answer>(now: () => number) {
  const known = new LRUCache<string, { readonly answer: Answer; readonly at: number }>(growTo(10_000));
  return async (key: string, ask: () => Promise<Answer>): Promise<Answer> => {
    const seen = known.get(key);
    if (seen && now() - seen.at < rememberMs) return seen.answer;
    const answer = await ask();
    known.set(key, { answer, at: now() });
    return answer;
  };
}
