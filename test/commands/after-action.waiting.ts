import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { describe as operation } from '../../src/forge/index.js';
import { close, connect, createSeal, createStore } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';
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
  readonly says: string;
}

const actions: readonly (readonly [string, string, string, () => Stalling])[] = [
  [
    'issue edit',
    'ada',
    'engine',
    () => ({ line: `issue edit ${repo}#2 --title "Print twice"`, read: 'issues/2', before: 2, says: 'Changed' }),
  ],
  [
    'pr retarget',
    'ada',
    'general',
    () => {
      const index = pull('moves');
      const line = `pr retarget ${repo}#${index} printer`;
      return { line, read: `pulls/${index}/reviews`, before: 0, says: 'Changed' };
    },
  ],
  [
    'pr merge',
    'grace',
    'engine',
    () => {
      const index = pull('merges');
      const name = `${repo}#${index}`;
      return { line: `pr merge ${name} --yes`, read: `pulls/${index}`, before: 1, says: `Merged ${name}` };
    },
  ],
  [
    'run cancel',
    'grace',
    'general',
    () => {
      const { number, id } = bellows.forge.world.startRun({ as: 'grace', repo, title: 'Slow' });
      const line = `run cancel ${bellows.forge.url}/${repo}/actions/runs/${number}`;
      return { line, read: `actions/runs/${id}`, before: 0, says: 'Cancel requested for the run in acme/engine' };
    },
  ],
];

it.concurrent.each(actions)('%s answers though a later read stalls', async (name, who, channel, act) => {
  const { line, read, before, says } = act();
  const on = new RegExp(`GET .*/${read}$`);
  bellows.forge.faults.add({ on, after: before, times: 5, trouble: { delay: 25_000 } });
  const began = performance.now();
  const { text } = await type(who, line, channel);
  expect(text, name).toContain(says);
  expect(performance.now() - began, 'nothing stalled').toBeGreaterThan(2_000);
});

/** Its run is looked for during two seconds, so beside the others. */
describe.concurrent('a workflow whose run cannot be found', () => {
  it('does not fail', async ({ expect }) => {
    const own = await startBellows();
    await own.link('ada');
    const { faults } = own.forge;
    faults.add({ on: operation('runs.list').route, after: 1, times: 9, trouble: { status: 500 } });
    faults.add({ on: operation('workflows.dispatch').route, trouble: { bend: () => undefined } });
    const { text } = await talkTo(() => own).type('ada', `workflow run ${repo} ci.yml`);
    expect(text).not.toContain('Could not');
    const redis = connect(own.redisUrl);
    const store = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
    const { rows } = await store.audit.read({ command: 'workflow run' }, { limit: 1 });
    expect(rows.at(0)?.entry).toMatchObject({ outcome: 'done' });
    await close(redis);
    await own.close();
  });
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
