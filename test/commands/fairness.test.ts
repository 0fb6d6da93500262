import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo } from './talk.js';

let bellows: Bellows;
const { type } = talkTo(() => bellows);

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
  await bellows.link('grace');
});
afterAll(() => bellows.close());

const slow = /GET .*\/repos\/acme\/engine\/issues\/2$/;
let arrived = 0;
const watch = (): void =>
  void bellows.forge.requests.next(slow).then(() => {
    arrived += 1;
    watch();
  });

const many = (count: number) =>
  Promise.all(
    Array.from({ length: count }, () =>
      bellows.slack.as('ada').command('engine', '/forge', 'issue show acme/engine#2'),
    ),
  );

it('one person’s slow commands, however many, keep nobody else waiting', async () => {
  const { slack, forge } = bellows;
  forge.faults.add({ on: slow, times: 1_000, trouble: { delay: 600_000 } });
  watch();
  const ada = slack.as('ada');
  const answers = () => ada.sees('engine').filter(({ text }) => !text.startsWith('Working on')).length;
  const before = answers();
  await many(60);
  await expect.poll(() => arrived).toBe(3);
  expect((await type('grace', 'whoami')).text).toContain('grace');
  // three of hers run; the others wait separately, so that nobody is behind them
  expect(arrived).toBe(3);
  expect(answers()).toBe(before);
});

it('refuses more than anyone would wait for', async () => {
  await many(40);
  expect((await type('ada', 'issue show acme/engine#2')).text).toContain('You already have 100 commands waiting');
  expect((await type('grace', 'whoami')).text).toContain('grace');
});
