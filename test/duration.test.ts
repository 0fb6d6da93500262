import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDuration, showDuration } from '../src/duration.js';

describe('a duration', () => {
  it.each([
    ['1h30m', 5_400],
    ['90m', 5_400],
    ['1.5h', 5_400],
    ['2d', 172_800],
    ['1w', 604_800],
    ['45s', 45],
    [' 2H ', 7_200],
  ])('%j is %i seconds', (text, seconds) => {
    expect(readDuration(text)).toBe(seconds);
  });

  it.each(['', '1', 'h', '1x', '-1h', '1h 30', 'tomorrow', `${'1'.repeat(50)}s`])('%j is invalid', (text) => {
    expect(readDuration(text)).toBeUndefined();
  });

  it('reads back what it shows, up to its two largest units', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 * 86_400 }), (seconds) => {
        const read = readDuration(showDuration(seconds)) ?? 0;
        expect(read).toBeLessThanOrEqual(seconds);
        expect(seconds - read).toBeLessThan(seconds >= 86_400 ? 3_600 : 60);
      }),
    );
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => void readDuration(text)));
  });
});
