import { type SandboxForge, startForge } from '@bellows/sandbox/forge';
import { createActivity } from '@bellows/sandbox/page/activity.js';
import { moveRuns } from '@bellows/sandbox/run-pace.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ask } from './forge/ask.js';

const repo = 'acme/engine';
let forge: SandboxForge;
let time = Date.UTC(2027, 2, 4, 9);

beforeEach(async () => {
  forge = await startForge({ clock: () => time });
});
afterEach(() => forge.close());

const runs = () => [...forge.world.state.runs.values()];
const unfinished = () => runs().filter(({ completed }) => completed === 0);
const later = (seconds: number) => {
  time += seconds * 1000;
  moveRuns(forge);
};

/** As `deploy production` does it. */
async function dispatch() {
  await ask(forge, 'ada', `POST /repos/${repo}/actions/workflows/deploy.yml/dispatches`, { ref: 'main' });
  const run = runs().at(-1);
  if (run === undefined) throw new Error('nothing was dispatched');
  return run;
}

describe('runs in the sandbox', () => {
  it('start after two seconds and succeed a few seconds later', async () => {
    const run = await dispatch();
    later(1);
    expect(run.status).toBe('waiting');
    later(1);
    expect(run.status).toBe('running');
    later(3);
    expect(run.status).toBe('running');
    later(3);
    expect(run.status).toBe('success');
  });

  it('do so job after job, and again when rerun', () => {
    const jobs = [
      { name: 'build', labels: ['docker'], needs: [], steps: ['make'] },
      { name: 'publish', labels: ['docker'], needs: ['build'], steps: ['make publish'] },
    ];
    const run = forge.world.queueRun({ as: 'ada', repo, jobs });
    for (const status of ['waiting', 'running', 'running', 'running', 'success']) {
      expect(run.status).toBe(status);
      later(run.status === 'waiting' ? 2 : 6);
    }
    forge.world.rerun({ as: 'ada', run: run.id });
    for (const seconds of [2, 6, 2, 6]) later(seconds);
    expect(run).toMatchObject({ attempt: 2, status: 'success' });
  });

  it('stay as they are if they are stuck, need approval or fit no runner', () => {
    forge.world.queueRun({ as: 'margaret', repo, needsApproval: true });
    const before = unfinished().map(({ id, status }) => ({ id, status }));
    expect(before).toHaveLength(3);
    for (const seconds of [2, 60, 3600]) later(seconds);
    expect(unfinished().map(({ id, status }) => ({ id, status }))).toEqual(before);
  });

  it.each([
    ['pass', 'success', 'passed'],
    ['fail', 'failure', 'failed'],
  ] as const)('end with the panel’s %s, the oldest first', async (verb, status, word) => {
    const [first, second] = [await dispatch(), await dispatch()];
    const activity = createActivity(forge, () => time);
    const all = runs().length;
    expect(activity.make({ verb, as: 'grace', repo })).toBe(`Run ${first.number} of ${repo} ${word}`);
    expect(activity.make({ verb, as: 'grace', repo })).toBe(`Run ${second.number} of ${repo} ${word}`);
    expect([first.status, second.status, runs().length]).toEqual([status, status, all]);
    activity.make({ verb, as: 'grace', repo });
    expect(runs().at(-1)).toMatchObject({ id: expect.not.toBeOneOf([first.id, second.id]), status });
  });

  it('start anew with a title of their own', async () => {
    const waiting = await dispatch();
    createActivity(forge, () => time).make({ verb: 'fail', as: 'grace', repo, title: 'Oil the gears' });
    expect(runs().at(-1)).toMatchObject({ title: 'Oil the gears', status: 'failure' });
    expect(waiting.status).toBe('waiting');
  });
});
