import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo } from './talk.js';

let bellows: Bellows;
const { type } = talkTo(() => bellows);
const repo = 'acme/engine';

beforeAll(async () => {
  bellows = await startBellows({ forge: { flavor: 'forgejo-16' } });
  await Promise.all([bellows.link('ada'), bellows.link('grace')]);
});
afterAll(() => bellows.close());

function pull(head: string): number {
  const { world } = bellows.forge;
  world.push({ as: 'grace', repo, branch: head, commits: [{ message: head, files: [`${head}.go`] }] });
  const { index } = world.openPull({ as: 'grace', repo, title: head, head });
  world.requestReview({ as: 'grace', repo, index, from: ['margaret'] });
  return index;
}

interface Stalling {
  readonly line: string;
  /** What is read only after the write, and how many such reads come before it. */
  readonly read: string;
  readonly before: number;
}

const actions: readonly (readonly [string, string, string, () => Stalling])[] = [
  [
    'issue edit',
    'ada',
    'engine',
    () => ({ line: `issue edit ${repo}#2 --title "Print twice"`, read: 'issues/2', before: 2 }),
  ],
  [
    'pr retarget',
    'ada',
    'general',
    () => {
      const index = pull('moves');
      return { line: `pr retarget ${repo}#${index} printer`, read: `pulls/${index}/reviews`, before: 0 };
    },
  ],
  [
    'pr merge',
    'grace',
    'engine',
    () => {
      const index = pull('merges');
      return { line: `pr merge ${repo}#${index} --yes`, read: `pulls/${index}`, before: 1 };
    },
  ],
  [
    'run cancel',
    'grace',
    'general',
    () => {
      const { number, id } = bellows.forge.world.startRun({ as: 'grace', repo, title: 'Slow' });
      const line = `run cancel ${bellows.forge.url}/${repo}/actions/runs/${number}`;
      return { line, read: `actions/runs/${id}`, before: 0 };
    },
  ],
];

it.concurrent.each(actions)('%s answers though a later read stalls', async (name, who, channel, act) => {
  const { line, read, before } = act();
  const on = new RegExp(`GET .*/${read}$`);
  bellows.forge.faults.add({ on, after: before, times: 5, trouble: { delay: 25_000 } });
  const began = performance.now();
  const { text } = await type(who, line, channel);
  expect(text, name).toMatch(/Changed|Merged|cancel/i);
  expect(performance.now() - began, 'nothing stalled').toBeGreaterThan(2_000);
});

describe('a run whose state is hidden', () => {
  afterEach(() => bellows.forge.faults.clear());

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
});
