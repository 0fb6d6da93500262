import { addFailingRuns } from '@bellows/sandbox/failing-runs.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { talkTo, words } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';

let bellows: Bellows;
const { type } = talkTo(() => bellows);

beforeAll(async () => {
  bellows = await startBellows();
  addFailingRuns(bellows.forge);
  await bellows.link('ada');
});
afterAll(() => bellows.close());

it('the sandbox has a flaky job', async () => {
  const found = words(await type('ada', 'run flaky acme/website'));
  expect(found).toContain('integration');
  expect(found).toMatch(/2 (times|commits)/);
});

it('the sandbox has a job that failed with a reason', async () => {
  const runs = [...bellows.forge.world.state.runs.values()];
  const failed = runs.findLast(({ title }) => title === 'Paint links too')?.id;
  const found = words(await type('ada', `run log acme/website#${failed}`));
  expect(found).toContain('npm run integration');
  expect(found).toContain('expected 2.1 to be above 4.5');
});

it('the tour’s stuck run is identified by its number alone', () => {
  const runs = [...bellows.forge.world.state.runs.values()].filter(({ repo }) => repo.name === 'engine');
  const stuck = runs.find((run) => run.stuck);
  expect(runs.filter(({ number, id }) => number === stuck?.id && id !== stuck?.id)).toEqual([]);
});
