import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Route } from '../../src/forge/operation.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo } from './talk.js';

let bellows: Bellows;
const { type } = talkTo(() => bellows);
const repo = 'acme/engine';

beforeAll(async () => {
  bellows = await startBellows({ forge: { flavor: 'forgejo-16' } });
  await bellows.link('ada');
});
afterAll(() => bellows.close());
afterEach(() => bellows.forge.faults.clear());

function pull(head: string): number {
  const { world } = bellows.forge;
  world.push({ as: 'grace', repo, branch: head, commits: [{ message: head, files: [`${head}.go`] }] });
  const { index } = world.openPull({ as: 'grace', repo, title: head, head });
  world.requestReview({ as: 'grace', repo, index, from: ['margaret'] });
  return index;
}

/** What is read only after the write, and how many such reads come before it. */
const actions: readonly (readonly [string, () => string, Route, number])[] = [
  ['issue edit', () => `issue edit ${repo}#2 --title "Print twice"`, 'GET /repos/{owner}/{repo}/issues/{index}', 2],
  [
    'pr retarget',
    () => `pr retarget ${repo}#${pull('moves')} printer`,
    'GET /repos/{owner}/{repo}/pulls/{index}/reviews',
    0,
  ],
  ['pr merge', () => `pr merge ${repo}#${pull('merges')} --yes`, 'GET /repos/{owner}/{repo}/pulls/{index}', 1],
  [
    'run cancel',
    () =>
      `run cancel ${bellows.forge.url}/${repo}/actions/runs/${bellows.forge.world.startRun({ as: 'grace', repo, title: 'Slow' }).number}`,
    'GET /repos/{owner}/{repo}/actions/runs/{run}',
    1,
  ],
];

it.each(actions)('%s answers though a later read stalls', async (_name, line, on, after) => {
  const typed = line();
  bellows.forge.faults.add({ on, after, times: 5, trouble: { delay: 25_000 } });
  const { text } = await type('ada', typed);
  expect(text).toMatch(/Changed|Merged|cancel/i);
});

it.each([
  ['', 'Cancel requested for the run in acme/engine. The forge did not show it afterwards.'],
  ['{"message":"done"}', 'The run in acme/engine has already finished.'],
])('run cancel does not pass the run’s id off as its number', async (text, said) => {
  const { faults, world } = bellows.forge;
  const { id } = world.startRun({ as: 'grace', repo, title: 'Unseen' });
  const status = text === '' ? 204 : 409;
  faults.add({ on: 'POST /repos/{owner}/{repo}/actions/runs/{run}/cancel', trouble: { text, status, done: true } });
  faults.add({ on: 'GET /repos/{owner}/{repo}/actions/runs/{run}', times: 9, trouble: { status: 500 } });
  expect((await type('ada', `run cancel ${repo}#${id}`)).text).toContain(said);
});
