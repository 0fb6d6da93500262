import { expect, it } from 'vitest';
import { fewAtATime } from '../src/few-at-a-time.js';

it('does all the work in order, and never more than a few at once', async () => {
  let running = 0;
  let most = 0;
  const work = async (item: number) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    return item * 2;
  };
  expect(await fewAtATime([1, 2, 3, 4, 5], 2, work)).toEqual([2, 4, 6, 8, 10]);
  expect(most).toBe(2);
  expect(await fewAtATime([], 2, work)).toEqual([]);
});
