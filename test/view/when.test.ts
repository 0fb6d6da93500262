import { expect, it } from 'vitest';
import { describeElapsed } from '../../src/view/when.js';

it.each([
  [400, 'less than a second'],
  [125_000, '2 min 5 s'],
  [5_400_000, '1 h 30 min'],
  [10_821_000, '3 h'],
  [90_061_000, '1 d 1 h'],
  [86_461_000, '1 d'],
])('%i milliseconds are %s: what is small beside the rest is left out', (milliseconds, shown) => {
  expect(describeElapsed(milliseconds)).toBe(shown);
});
