import { describe, expect, it } from 'vitest';
import { SourceAbout } from '../../src/feed/sources/source.js';
import { useFeed } from './feed-services.js';

const services = useFeed({ people: { ada: 'U0ADA00001' } });
const repo = 'acme/engine';
const engine = 'C0ENGINE01';
const minute = 60_000;
const jobs = [{ name: 'build', labels: ['ubuntu-latest'], needs: [], steps: ['npm test'] }];

const card = (words: string) => services.slack.state.messages(engine).find(({ text }) => text.includes(words));
const drawn = (words: string) => JSON.stringify(card(words)?.blocks ?? []);
const asked = (route: string) => services.forge.requests.all.filter((each) => each.route === route).length;

/** A pull request from a fork of linus, who is unknown here, and the run that needs approval. */
function forkRun(files: readonly string[]) {
  const { world } = services.forge;
  world.forkRepo({ as: 'linus', repo });
  world.push({ as: 'linus', repo: 'linus/engine', branch: 'try', commits: [{ message: 'Try', files: [...files] }] });
  world.openPull({ as: 'linus', repo, title: 'Try it', head: 'try', from: 'linus/engine' });
  return world.queueRun({
    as: 'linus',
    repo,
    title: 'Try it',
    branch: 'try',
    event: 'pull_request',
    needsApproval: true,
  });
}

async function follow(words: string): Promise<void> {
  await services.subscribe(engine, repo, words);
  await services.round();
  services.pass(1_000);
}

describe('a fork’s run that needs approval', () => {
  it('comes with its author, whether they are new here, and the workflow files it changes', async () => {
    await follow('runs:waiting');
    forkRun(['.gitea/workflows/ci.yml', 'src/gear.go']);
    await services.round();
    const shown = drawn('needs approval');
    expect(shown).toContain('#9 Try it> by linus, first-time contributor');
    expect(shown).toContain('Changes workflow files: `.gitea/workflows/ci.yml`');
    expect(shown).toContain('"text":"Approve run"');
    expect(shown).toContain('Needs approval');
    expect(shown).not.toContain('gear.go');
  });

  it.each([
    ['closed', 'first-time contributor'],
    ['merged', 'contributed before'],
  ] as const)('counts someone whose earlier pull request was %s as: %s', async (end, words) => {
    await follow('runs:waiting');
    const { world } = services.forge;
    world.forkRepo({ as: 'linus', repo });
    world.push({ as: 'linus', repo: 'linus/engine', branch: 'earlier', commits: ['Earlier'] });
    const { index } = world.openPull({ as: 'linus', repo, title: 'Earlier', head: 'earlier', from: 'linus/engine' });
    if (end === 'merged') world.merge({ as: 'ada', repo, index });
    else world.close({ as: 'ada', repo, index });
    forkRun(['src/gear.go']);
    await services.round();
    expect(drawn('needs approval')).toContain(`Try it> by linus, ${words}`);
  });

  it('is posted once, and its card loses its button when it continues, but not where the subscription was paused since', async () => {
    const general = 'C0GENERAL1';
    await services.subscribe(general, repo, 'runs:waiting');
    await follow('runs:waiting');
    const run = forkRun(['src/gear.go']);
    await services.round();
    await services.round();
    expect(services.shown(engine).filter((text) => text.includes('needs approval'))).toHaveLength(1);
    expect(drawn('needs approval')).toContain('No workflow files changed.');
    const place = { team: services.slack.teamId, channel: general };
    const [sub] = await services.store.subscriptions.inChannel(place);
    if (!sub) throw new Error('not subscribed');
    await services.store.subscriptions.pause(sub, { reason: 'Its owner has left.', at: services.now() });
    run.approval = 'given';
    services.forge.world.finishRun({ run: run.id, conclusion: 'success' });
    services.pass(1_000);
    await services.round();
    expect(drawn('Try it, run')).not.toContain('Approve run');
    expect(drawn('Try it, run')).toContain('✅ Passed');
    expect(services.shown(engine).filter((text) => text.includes('Try it'))).toHaveLength(1);
    const [stale] = services.slack.state.messages(general);
    expect(JSON.stringify(stale?.blocks)).toContain('Needs approval');
  });

  it('is not posted if only results are followed, and costs no request, nor does one that looks stuck', async () => {
    await follow('runs:all');
    services.forge.requests.clear();
    forkRun(['.gitea/workflows/ci.yml']);
    await services.round();
    expect(services.shown(engine).some((text) => text.includes('needs approval'))).toBe(false);
    expect(asked('GET /repos/{owner}/{repo}/pulls/{index}/files')).toBe(0);
    services.pass(30 * minute);
    await services.round();
    for (const route of [
      'GET /repos/{owner}/{repo}/actions/runs/{run}/jobs',
      'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs',
      'GET /admin/actions/runners',
    ])
      expect(asked(route), route).toBe(0);
  });

  it('is not mistaken for a run of an own branch that waits for another run', async () => {
    await follow('runs:waiting');
    services.forge.world.queueRun({ as: 'grace', repo, branch: 'printer', event: 'pull_request', needsApproval: true });
    await services.round();
    expect(services.shown(engine)).toEqual([]);
  });
});

it('is posted at its end, though the forge refused to show it for a while', async () => {
  await follow('runs:all');
  const { world } = services.forge;
  const old = world.startRun({ as: 'grace', repo, title: 'Long one', jobs });
  for (let nth = 0; nth < 60; nth++)
    world.finishRun({
      run: world.startRun({ as: 'grace', repo, title: `Short ${nth}`, jobs }).id,
      conclusion: 'success',
    });
  services.pass(minute);
  await services.round();
  world.finishRun({ run: old.id, conclusion: 'failure' });
  const on = 'GET /repos/{owner}/{repo}/actions/runs/{run}';
  for (const status of [403, 502]) {
    services.forge.faults.add({ on, times: Number.POSITIVE_INFINITY, trouble: { status } });
    services.forge.requests.clear();
    services.pass(minute);
    await services.round();
    expect(asked(on)).toBeGreaterThan(0);
    expect(card('Long one')).toBeUndefined();
    services.forge.faults.clear();
  }
  services.pass(minute);
  await services.round();
  expect(card('Long one')?.text).toContain('failed');
});

describe('a run that looks stuck', () => {
  const start = (title = 'Slow') => services.forge.world.startRun({ as: 'grace', repo, title, jobs });
  const stuck = () => services.shown(engine).filter((text) => text.includes('looks stuck'));

  it('is posted once, with the evidence and what can be done', async () => {
    await follow('runs:stuck');
    // the seed has two of them
    await services.round();
    expect(stuck()).toHaveLength(2);
    const shown = drawn('Deploy v0.9');
    expect(shown).toContain('which is offline');
    expect(shown).toContain('has written no log for');
    expect(drawn('Train the loom')).toContain('no runner has the label gpu');
    for (const button of ['Cancel run', 'Force-cancel']) expect(shown).toContain(`"text":"${button}"`);
    services.pass(10 * minute);
    await services.round();
    expect(stuck()).toHaveLength(2);
  });

  it('is not posted while it is young and healthy, and shows its end on the same card, without its buttons', async () => {
    await follow('runs:stuck');
    await services.round();
    const run = start();
    services.pass(5 * minute);
    await services.round();
    expect(services.shown(engine).some((text) => text.includes('Slow'))).toBe(false);
    services.pass(20 * minute);
    await services.round();
    expect(drawn('Slow')).toContain('Job build has written no log for 25 min');
    expect(drawn('Slow')).toContain('Force-cancel');
    services.forge.world.forceCancelRun({ run: run.id });
    services.pass(1_000);
    await services.round();
    expect(drawn('Slow')).not.toContain('Force-cancel');
    expect(drawn('Slow')).toContain('looked stuck');
  });

  it('is looked for every two minutes, among the ten oldest that were not posted', async () => {
    await follow('runs:stuck');
    await services.round();
    expect(stuck()).toHaveLength(2);
    for (let nth = 1; nth <= 12; nth++) start(`Slow ${nth}.`);
    services.pass(30 * minute);
    await services.round();
    expect(stuck()).toHaveLength(12);
    expect([card('Slow 10.'), card('Slow 11.')]).toEqual([expect.anything(), undefined]);
    services.forge.requests.clear();
    services.pass(minute);
    await services.round();
    expect(asked('GET /repos/{owner}/{repo}/actions/runs/{run}/jobs')).toBe(0);
    services.pass(2 * minute);
    await services.round();
    expect(stuck()).toHaveLength(14);
    expect(asked('GET /repos/{owner}/{repo}/actions/runs/{run}/jobs')).toBe(2);
  });

  it('counts as hidden while it is not known whether its repository is', async () => {
    await follow('runs:stuck');
    const { outbox, sources } = services.store;
    const key = `runs-${services.forge.world.repo(repo).id}`;
    const state = await sources.get(key);
    const { hidden: _, ...about } = SourceAbout.parse(state?.about);
    await sources.note(key, { ...state, about });
    await sources.wake(key);
    for (const due of await sources.claimDue(10, minute)) await services.jobs.steps.poll(due);
    const { entries } = await outbox.view({ team: services.slack.teamId, channel: engine }, 5);
    const hidden = { event: { kind: 'runs:stuck', repo: { hidden: true, url: expect.stringContaining(repo) } } };
    expect(entries.map(({ body }) => body)).toMatchObject([hidden, hidden]);
  });

  it('is not looked at in its first two minutes', async () => {
    await follow('runs:stuck');
    await services.round();
    start();
    services.forge.requests.clear();
    services.pass(minute);
    await services.round();
    services.pass(minute / 2);
    await services.round();
    expect(asked('GET /repos/{owner}/{repo}/actions/runs/{run}/jobs')).toBe(0);
    services.pass(minute);
    await services.round();
    expect(asked('GET /repos/{owner}/{repo}/actions/runs/{run}/jobs')).toBe(1);
  });
});
