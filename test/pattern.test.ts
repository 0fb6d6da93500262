import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../src/errors.js';
import { compilePattern, refuseForeign, testPatterns } from '../src/pattern.js';
import { createChance } from './chaos/support/chance.js';

const fits = (pattern: string, name: string) => compilePattern(pattern)(name);

/** A slow reference implementation: tries every way to match, each once. */
function slowly(pattern: string, name: string): boolean {
  const seen = new Map<string, boolean>();
  const from = (at: number, letter: number): boolean => {
    const key = `${at} ${letter}`;
    const before = seen.get(key);
    if (before !== undefined) return before;
    const answer = look(at, letter);
    seen.set(key, answer);
    return answer;
  };
  const look = (at: number, letter: number): boolean => {
    if (at === pattern.length) return letter === name.length;
    const here = name[letter];
    const stars = /^\*+/.exec(pattern.slice(at))?.[0].length ?? 0;
    if (stars > 0) {
      const next = at + stars;
      const startsPart = at === 0 || pattern[at - 1] === '/';
      if (stars > 1 && startsPart && pattern[next] === '/' && from(next + 1, letter)) return true;
      for (let end = letter; end <= name.length; end += 1) {
        if (from(next, end)) return true;
        if (stars === 1 && name[end] === '/') return false;
      }
      return false;
    }
    if (here === undefined) return false;
    return (pattern[at] === here || (pattern[at] === '?' && here !== '/')) && from(at + 1, letter + 1);
  };
  return from(0, 0);
}

const text = (letters: string, maxLength: number) =>
  fc.array(fc.constantFrom(...letters), { maxLength }).map((all) => all.join(''));

describe('a pattern', () => {
  it.each([
    ['release/*', 'release/1.0', true],
    ['release/*', 'release/1.0/rc', false],
    ['release/**', 'release/1.0/rc', true],
    ['**/fix', 'ada/old/fix', true],
    ['**/fix', 'fix', true],
    ['**/fix', 'hotfix', false],
    ['a/**/**/b', 'a/b', true],
    ['lib-?', 'lib-a', true],
    ['lib-?', 'lib-', false],
    ['a?b', 'a/b', false],
    ['Kind/*', 'kind/BUG', true],
    ['?', '🐛', true],
    ['v1.0', 'v1x0', false],
    ['c++*', 'C++20', true],
    ['(a+)+b', 'aab', false],
    ['kind/(ui)', 'kind/(ui)', true],
  ])('%s and %s: %s', (pattern, name, expected) => {
    expect(fits(pattern, name)).toBe(expected);
  });

  it('matches the slow reference implementation', () => {
    const given = [text('ab/*?', 12), text('ab/', 12)] as const;
    fc.assert(
      fc.property(...given, (pattern, name) => fits(pattern, name) === slowly(pattern, name)),
      { numRuns: 1_000 },
    );
  });

  it('matches the same if its characters fill several machine words', () => {
    const given = [text('a/*', 90), text('a/', 90)] as const;
    fc.assert(
      fc.property(...given, (pattern, name) => fits(pattern, name) === slowly(pattern, name)),
      { numRuns: 1_000 },
    );
  });

  it('takes less than a millisecond, 1,000 patterns against names of up to 1,000 letters', () => {
    // shorter ones first, so that a backtracking matcher fails here instead of never returning
    const size = (run: number, most: number) => Math.max(1, Math.round((run / 1_000) * most));
    const chance = createChance(7);
    const some = (count: number, letters: readonly string[]) =>
      Array.from({ length: count }, () => chance.of(letters))
        .join('')
        .slice(0, count);
    const slow: string[] = [];
    for (let run = 1; run <= 1_000 && slow.length === 0; run += 1) {
      const pattern = some(size(run, 100), ['a', 'a', 'a', 'b', '/', '*', '*', '**', '?']);
      const name = some(size(run, 1_000), run % 2 === 0 ? ['a'] : ['a', 'a', 'b', '/']);
      if (bestOf(7, () => fits(pattern, name)) >= 1) slow.push(`${pattern} on ${name.length} letters`);
    }
    expect(slow).toEqual([]);
  });

  it.each(['(a+)+b', '[ab]', '{a,b}', 'a|b', 'a!', '^a', 'a$', 'a\\b'])('%s is refused with a sentence', (pattern) => {
    expect(() => refuseForeign(pattern, `branch:${pattern}`)).toThrow(UserError);
    expect(() => refuseForeign(pattern, `branch:${pattern}`)).toThrow(`branch:${pattern}`);
  });
});

describe('a file’s regular expression', () => {
  const a = { source: '^a+$', flags: 'u', texts: ['aaa', 'b'] };

  it('has its time from when its thread runs: starting one takes longer than this', async () => {
    await expect.poll(async () => [...(await testPatterns([a], 3))]).toEqual([[0, [true, false]]]);
  });

  it('that never ends is given up, and those before it count', async () => {
    const endless = { source: '^(a+)+$', flags: 'u', texts: [`${'a'.repeat(2_000)}!`] };
    expect([...(await testPatterns([a, endless, a], 1_000))]).toEqual([[0, [true, false]]]);
  });
});

/** In milliseconds; other load on the machine rarely lasts seven times in a row, slowness always does. */
function bestOf(times: number, work: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let time = 0; time < times && best >= 1; time += 1) {
    const began = performance.now();
    work();
    best = Math.min(best, performance.now() - began);
  }
  return best;
}
