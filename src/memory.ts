import { LRUCache } from 'lru-cache';

/** For an LRUCache of up to `entries`: with `max`, it sets aside all places when it is made, milliseconds and a megabyte each. */
export const growTo = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });

interface Term {
  readonly forMs: number;
  readonly most?: number;
  readonly now?: () => number;
}

/** Not the cache's own limit of age: it ignores one that began at zero and counts one that is just reached as fresh. */
export function createMemory<Value, Key extends string | number = string>({
  forMs,
  most = 10_000,
  now = () => performance.now(),
}: Term) {
  const kept = new LRUCache<Key, { readonly value: Value; readonly at: number }>(growTo(most));
  return {
    get(key: Key): Value | undefined {
      const found = kept.get(key);
      return found && now() - found.at < forMs ? found.value : undefined;
    },
    put: (key: Key, value: Value) => void kept.set(key, { value, at: now() }),
    forget: (key: Key) => void kept.delete(key),
  };
}

/** For what would be said over and over: true for the first of a kind, then not again for a while. */
export function createSeldom(term: Term): (kind: string) => boolean {
  const said = createMemory<true>(term);
  return (kind) => {
    if (said.get(kind)) return false;
    said.put(kind, true);
    return true;
  };
}

/** Answers of look-ups, each asked for again after a while: people relink and rename. A failure is not remembered. */
export function createLookUp<Answer>(term: Partial<Term>) {
  const known = createMemory<Promise<Answer>>({ forMs: 10 * 60_000, ...term });
  return (key: string, ask: () => Promise<Answer>): Promise<Answer> => {
    const before = known.get(key);
    if (before) return before;
    const asking = ask();
    known.put(key, asking);
    asking.catch(() => known.forget(key));
    return asking;
  };
}
