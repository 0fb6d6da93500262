import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { close, connect, createSeal, createStore } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { lookNow } from '../support/due.js';
import { testKeys } from '../support/redis.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, click } = talkTo(() => bellows);
const repo = 'acme/engine';
const dispatches = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches';
const bodies = () => bellows.forge.requests.of(dispatches).map(({ body }) => body);
const newest = () => [...bellows.forge.world.state.runs.values()].at(-1);

beforeAll(async () => {
  bellows = await startBellows({ tempo: { lookMs: 30, followMs: 100 } });
  await bellows.link('ada');
  await type('ada', `repo use ${repo}`);
});
afterAll(() => bellows.close());
beforeEach(() => bellows.forge.requests.clear());
afterEach(() => {
  bellows.forge.faults.clear();
  expect(bellows.slack.failures.all).toEqual([]);
});

it('lists workflows, disables one and enables it again', async () => {
  expect(words(await type('ada', 'workflow list'))).toContain('Deploy');
  expect((await type('ada', 'workflow disable ci.yml')).text).toContain('Disabled Build and test');
  expect((await type('ada', 'workflow disable ci.yml')).text).toContain('Already disabled: Build and test');
  expect((await type('ada', 'workflow run ci.yml')).text).toContain('workflow is disabled');
  const list = await type('ada', 'workflow list');
  expect(words(list)).toContain('Disabled');
  expect((await click('ada', list, 'Enable')).text).toContain('Enabled Build and test');
  expect((await type('ada', 'workflow enable nosuch.yml')).text).toContain(
    'has no workflow `nosuch.yml`. It has: `ci.yml`, `deploy.yml`, `release.yml`.',
  );
});

describe('workflow run', () => {
  it('starts the default branch and shows the run it started', async () => {
    const answer = await type('ada', 'workflow run ci.yml');
    expect(bodies()).toEqual([{ ref: 'refs/heads/main' }]);
    expect(newest()).toMatchObject({ workflow: 'ci.yml', event: 'workflow_dispatch', branch: 'main' });
    expect(answer.text).toContain(`, run ${newest()?.number}`);
  });

  it('sends the inputs as the file wants them, at a tag', async () => {
    await type('ada', 'workflow run deploy.yml --ref v0.9 --input environment=production --input dry_run=yes');
    expect(bodies()).toEqual([{ ref: 'refs/tags/v0.9', inputs: { environment: 'production', dry_run: 'true' } }]);
    expect(newest()?.inputs).toEqual({ environment: 'production', version: '', workers: '2', dry_run: 'true' });
  });

  it.each([
    ['deploy.yml --input environment=moon', 'environment can’t be “moon”. Choose one of: staging, production.'],
    ['deploy.yml --input workers=many', 'workers must be a number.'],
    ['deploy.yml --input dry_run=perhaps', 'dry_run must be true or false.'],
    ['deploy.yml --input color=red', 'color is not an input. It has: environment, version, workers, dry_run.'],
    ['release.yml', 'needs a value for `version`.'],
    ['nosuch.yml', `${repo} has no workflow \`nosuch.yml\` on \`main\`.`],
    ['ci.yml --ref nosuch', `${repo} has no branch or tag \`nosuch\`.`],
  ])('refuses “%s” with an explanation and sends nothing', async (line, words) => {
    expect((await type('ada', `workflow run ${line}`)).text).toContain(words);
    expect(bodies()).toEqual([]);
  });

  it('refuses what cannot be started manually', async () => {
    bellows.forge.world.plantWorkflow({ repo, file: 'push.yml', text: 'on: push\njobs: {}\n' });
    expect((await type('ada', 'workflow run push.yml')).text).toContain('can’t be started by hand');
    expect(bodies()).toEqual([]);
  });

  it('finds the run itself if the server does not say which', async () => {
    bellows.forge.faults.add({ on: dispatches, trouble: { text: '', status: 204, done: true } });
    const answer = await type('ada', 'workflow run ci.yml');
    expect(answer.text).toContain(`, run ${newest()?.number}`);
    expect(bodies()).toHaveLength(1);
  });

  it('does not mistake another person’s run for its own', async () => {
    const ada = bellows.slack.as('ada');
    bellows.forge.faults.add({ on: dispatches, trouble: { drop: 'before' } });
    const arrived = bellows.forge.requests.next(/dispatches$/);
    await ada.command('engine', '/forge', 'workflow run ci.yml');
    await arrived;
    const event = 'workflow_dispatch';
    const graces = bellows.forge.world.queueRun({ as: 'grace', repo, workflow: 'ci.yml', event }).id;
    const notice = () => ada.sees(ada.dm).find(({ text }) => text.includes('did not confirm'));
    await bellows.slack.until(notice);
    expect(newest()?.id).toBe(graces);
    expect(words(notice())).not.toContain(`#${graces}`);
  });
});

it('shows the run’s progress in one direct message that is updated', async () => {
  // those of ada may still come from what she started above
  await bellows.link('grace');
  const grace = bellows.slack.as('grace');
  const before = grace.sees(grace.dm).length;
  await type('grace', `workflow run ${repo} ci.yml`);
  const run = newest()?.id ?? 0;
  const card = () => grace.sees(grace.dm).find(({ text }) => text.includes(`, run ${newest()?.number}`));
  await lookNow(bellows, 'follows');
  await bellows.slack.until(() => card()?.text.includes('Queued'));
  bellows.forge.world.takeJob({ runner: 'builder-1', run });
  await bellows.slack.until(() => card()?.text.includes('Running'));
  bellows.forge.world.finishRun({ run, conclusion: 'failure' });
  await bellows.slack.until(() => card()?.text.includes('Failed'));
  expect(words(card())).toContain('Rerun failed jobs');
  expect(grace.sees(grace.dm)).toHaveLength(before + 1);
});

it('goes on showing it after the forge refused to answer', async () => {
  const ada = bellows.slack.as('ada');
  const run = bellows.forge.world.queueRun({ as: 'ada', repo, workflow: 'ci.yml' });
  const on = 'GET /repos/{owner}/{repo}/actions/runs/{run}';
  const heal = bellows.forge.faults.add({ on, times: Number.POSITIVE_INFINITY, trouble: { status: 403 } });
  const redis = connect(bellows.redisUrl);
  const store = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
  const person = { team: bellows.slack.teamId, user: 'U0ADA00001' };
  const id = 'refused';
  await store.follows.put(id, { owner: 'acme', repo: 'engine', run: run.id, person, since: Date.now() }, 0);
  await expect.poll(() => bellows.logged.some((line) => line.includes(`"${id}"`))).toBe(true);
  heal();
  await redis.zadd('bellows:{main:follows}:due', 0, id);
  await bellows.slack.until(() => ada.sees(ada.dm).find(({ text }) => text.includes(`, run ${run.number}`)));
  await close(redis);
});
