import { LRUCache } from 'lru-cache';

interface Term {
  readonly forMs: number;
  readonly most?: number;
  readonly now?: () => number;
}

const remember = <Value extends object | true>({ forMs, most = 10_000, now }: Term) =>
  // the cache counts an age of exactly its limit as fresh
  new LRUCache<string, Value>({ max: most, ttl: forMs - 1, ttlResolution: 0, ...(now && { perf: { now } }) });

/** For what would be said over and over: true for the first of a kind, then not again for a while. */
export function createSeldom(term: Term): (kind: string) => boolean {
  const said = remember<true>(term);
  return (kind) => {
    if (said.has(kind)) return false;
    said.set(kind, true);
    return true;
  };
}

/** Answers of look-ups, each asked for again after a while: people relink and rename. A failure is not remembered. */
export function createLookUp<Answer>(term: Partial<Term>) {
  const known = remember<Promise<Answer>>({ forMs: 10 * 60_000, ...term });
  return (key: string, ask: () => Promise<Answer>): Promise<Answer> => {
    const before = known.get(key);
    if (before) return before;
    const asking = ask();
    known.set(key, asking);
    asking.catch(() => known.delete(key));
    return asking;
  };
}
