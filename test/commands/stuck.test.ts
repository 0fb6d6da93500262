import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, click } = talkTo(() => bellows);
const repo = 'acme/engine';
const now = () => Math.floor(Date.now() / 1000);

describe('run stuck', () => {
  beforeAll(async () => {
    bellows = await startBellows({ policy: 'roles:\n  maintainer:\n    users: [U0ADA00001, U0GRACE001]\n' });
    await bellows.link('ada');
    await bellows.link('grace');
  });
  afterAll(() => bellows.close());
  afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

  it('finds a run whose runner is gone and one that no runner can take', async () => {
    const shown = words(await type('ada', 'run stuck'));
    expect(shown).toContain('Job deploy is on builder-2, which is offline.');
    expect(shown).toContain('no runner has the label gpu');
    expect(shown).toContain('2 runs on the forge look stuck');
    expect(shown).not.toContain('force-cancel');
  });

  it('compares with the workflow’s own history', async () => {
    const { world } = bellows.forge;
    const run = world.at(now() - 3_600, () => world.startRun({ as: 'ada', repo, title: 'Slow today' }));
    const shown = words(await type('ada', `run stuck ${repo} --workflow ci.yml`));
    expect(shown).toContain('This workflow usually takes 4 min');
    expect(shown).toContain('Slow today');
    world.finishRun({ run: run.id, conclusion: 'success' });
  });

  it('does not call a run stuck that is merely running', async () => {
    const { world } = bellows.forge;
    const run = world.startRun({ as: 'ada', repo: 'acme/website', title: 'Just begun' });
    expect((await type('ada', 'run stuck acme/website')).text).toContain('Nothing is stuck in acme/website');
    world.finishRun({ run: run.id, conclusion: 'success' });
  });

  it('offers a regular cancel first, and force only if that did not help', async () => {
    const { world } = bellows.forge;
    const first = await type('ada', `run stuck ${repo} --workflow deploy.yml`);
    expect(words(first)).toContain('run cancel');
    world.at(now() - 600, () => world.cancelRun({ run: 8 }));
    const second = await type('ada', `run stuck ${repo} --workflow deploy.yml`);
    expect(words(second)).toContain('Canceled 10 minutes ago, but no runner has confirmed it.');
    expect(words(second)).toContain('Force-cancel this run?');
    const asked = await click('ada', second, 'Force-cancel');
    expect(asked.text).toContain('Waiting for approval');
    const ada = bellows.slack.as('ada');
    const card = await bellows.slack.until(() =>
      ada.sees('engine').find((shown) => shown.onlyFor === undefined && words(shown).includes('Waiting for approval')),
    );
    await bellows.slack.as('grace').click(card, 'Approve');
    await bellows.slack.until(() => ada.sees(ada.dm).find(({ text }) => text.includes('approved your request')));
    expect(world.run(8)?.status).toBe('cancelled');
  });

  it('offers several of one repository together', async () => {
    const { world } = bellows.forge;
    for (const title of ['One', 'Two']) {
      const run = world.at(now() - 7_200, () => world.startRun({ as: 'ada', repo, title }));
      world.freezeRun({ run: run.id });
      world.at(now() - 3_600, () => world.cancelRun({ run: run.id }));
    }
    const shown = await type('ada', `run stuck ${repo} --workflow ci.yml`);
    expect(words(shown)).toContain('Force-cancel 2 in acme/engine');
    expect(words(shown)).toContain('Force-cancel 2 runs?');
  });

  it('finds a run right after a cancel that no runner confirms, though the forge hides it', async () => {
    const { world } = bellows.forge;
    const run = world.startRun({ as: 'ada', repo: 'acme/website', title: 'Will not stop' });
    world.freezeRun({ run: run.id });
    world.cancelRun({ run: run.id });
    const shown = words(await type('ada', 'run stuck acme/website'));
    expect(shown).toContain('Will not stop');
    expect(shown).toContain('Checked 1 unfinished run');
    expect(shown).not.toContain('"Force-cancel"');
    world.finishRun({ run: run.id, conclusion: 'cancelled' });
  });

  it('shows people who are not site admins the repositories they can see', async () => {
    const shown = words(await type('grace', 'run stuck'));
    expect(shown).toContain('in the repositories you can see look stuck');
    expect(shown).toContain('One');
    expect(shown).toContain('only site admins can see runners');
  });

  it('says that the runners could not be read if that is why they were not checked', async () => {
    bellows.forge.faults.add({ on: 'GET /admin/actions/runners', times: 9, trouble: { status: 500 } });
    const shown = words(await type('ada', `run stuck ${repo}`));
    bellows.forge.faults.clear();
    expect(shown).toContain('the runners could not be read');
    expect(shown).not.toContain('only site admins');
  });

  it('names the repositories that could not be read', async () => {
    const on = /^GET \/repos\/acme\/website\/actions\/runs/;
    bellows.forge.faults.add({ on, times: 99, trouble: { status: 500 } });
    const shown = words(await type('grace', 'run stuck --workflow nosuch.yml'));
    bellows.forge.faults.clear();
    expect(shown).toContain('Nothing is stuck in the repositories you can see, as far as Bellows could read them.');
    expect(shown).toContain('could not read acme/website');
  });

  it('says that it checked only the most recently updated of many repositories', async () => {
    const { world } = bellows.forge;
    for (let at = 1; at <= 31; at += 1) world.createRepo({ as: 'grace', owner: 'grace', name: `one-of-many-${at}` });
    const shown = words(await type('grace', 'run stuck --workflow nosuch.yml'));
    expect(shown).toContain('Nothing is stuck in the 30 most recently updated repositories you can see.');
  });
});
