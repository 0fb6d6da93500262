import { LRUCache } from 'lru-cache';
import { compilePattern, type Pattern } from '../pattern.js';

/** Patterns come from people, so the cache is bounded. */
const compiled = new LRUCache<string, Pattern>({ max: 5_000 });

/** Names of branches, labels and people: `*` alone matches any; otherwise it stops at a slash and `**` does not. */
export function matches(glob: string, name: string): boolean {
  if (glob === '*') return true;
  let pattern = compiled.get(glob);
  if (!pattern) {
    pattern = compilePattern(glob);
    compiled.set(glob, pattern);
  }
  return pattern(name);
}

/** Matches any of them and none of those with a leading `!`. */
export function matchesAny(globs: readonly string[], name: string): boolean {
  const no = globs.filter((glob) => glob.startsWith('!'));
  const yes = globs.filter((glob) => !glob.startsWith('!'));
  if (no.some((glob) => matches(glob.slice(1), name))) return false;
  return yes.length === 0 || yes.some((glob) => matches(glob, name));
}
