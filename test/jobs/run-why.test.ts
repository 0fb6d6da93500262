import { describe, expect, it } from 'vitest';
import { useFeed } from './feed-services.js';

const services = useFeed({ people: { grace: 'U0GRACE001', margaret: 'U0MARGARET' } });
const repo = 'acme/engine';
const engine = 'C0ENGINE01';
const jobs = [{ name: 'build', labels: ['gpu'], needs: [], steps: ['npm ci', 'npm test'] }];
const routes = {
  jobs: 'GET /repos/{owner}/{repo}/actions/runs/{run}/jobs',
  log: 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs',
  commits: 'GET /repos/{owner}/{repo}/commits',
  all: 'GET /repos/{owner}/{repo}/actions/jobs',
} as const;
const asked = () => Object.values(routes).map((route) => services.forge.requests.of(route).length);

/** Ends a second later, on the newest commit of its branch. */
function ends(conclusion: 'success' | 'failure', branch = 'main', of = jobs) {
  const { world } = services.forge;
  const title = `${conclusion} on ${branch}`;
  const run = world.queueRun({ as: 'ada', repo, title, branch, workflow: 'why.yml', jobs: of });
  services.pass(1_000);
  world.finishRun({ run: run.id, conclusion });
  services.pass(1_000);
  return run;
}
const cards = () => services.slack.state.messages(engine);
const card = (words: string) => JSON.stringify(cards().find(({ text }) => text.includes(words))?.blocks ?? []);

async function begin(filter = 'runs'): Promise<void> {
  await services.subscribe(engine, repo, filter);
  ends('success');
  await services.round();
  services.forge.requests.clear();
}

describe('the card of a failed run', () => {
  it('says where and why, since which commits, and offers what can be done', async () => {
    await begin();
    const { world } = services.forge;
    world.push({ as: 'grace', repo, branch: 'main', commits: ['Widen the gauge', 'Paint it'] });
    ends('failure');
    await services.round();
    const shown = card('failure on main');
    expect(shown).toContain('Job *build* failed at *npm test*');
    expect(shown).toContain('Error: npm test failed');
    expect(shown).toContain('2 commits since it last passed');
    expect(shown).toMatch(/Widen the gauge> by /);
    for (const button of ['Rerun failed jobs', 'Show log', 'Open on the forge'])
      expect(shown).toContain(`"text":"${button}"`);
    expect(shown).not.toContain('flaky');
    expect(asked()).toEqual([1, 1, 1, 1]);
  });

  it('becomes one line once a rerun passed', async () => {
    await begin();
    const run = ends('failure');
    await services.round();
    services.forge.world.rerun({ run: run.id, as: 'ada' });
    services.pass(840_000);
    services.forge.world.finishRun({ run: run.id, conclusion: 'success' });
    services.pass(1_000);
    await services.round();
    const shown = card('failure on main');
    expect(shown).toContain('✅ Passed on attempt 2 · 14 min after it failed · failure on main, ');
    expect(services.replies(engine, cards()[0]?.ts)).toEqual([
      `why.yml passes again on main: run ${run.number} passed on attempt 2, 14 min after it failed`,
    ]);
    for (const old of ['npm test', 'since it last passed', 'Rerun failed jobs', 'why.yml failed'])
      expect(shown).not.toContain(old);
  });

  it('says where the same job failed too', async () => {
    await begin();
    ends('failure', 'printer');
    ends('failure');
    await services.round();
    expect(card('failure on main')).toMatch(/The same job also failed on `printer`/);
    // the same commit passed before: no other is the cause
    expect(asked()[2]).toBe(0);
  });

  it('names no branch where it failed more than a day ago, nor one twice', async () => {
    await begin();
    ends('failure', 'old');
    services.pass(25 * 3_600_000);
    ends('failure', 'other', [{ name: 'lint', labels: ['gpu'], needs: [], steps: ['npm run lint'] }]);
    for (const branch of ['printer', 'printer', 'main']) ends('failure', branch);
    await services.round();
    expect(card('failure on main')).toContain('The same job also failed on `printer`, so');
  });

  it('comes without reasons if the forge does not provide them', async () => {
    await begin();
    services.forge.faults.add({ on: routes.jobs, trouble: { status: 500 }, times: 10 });
    services.forge.world.push({ as: 'grace', repo, branch: 'main', commits: ['Widen the gauge'] });
    ends('failure');
    await services.round();
    const shown = card('failure on main');
    expect(shown).toContain('1 commit since it last passed');
    expect(shown).toContain('"text":"Rerun failed jobs"');
    expect(shown).not.toContain('failed at');
  });

  it('leaves out what cannot be read', async () => {
    await begin();
    const { faults, world } = services.forge;
    for (const on of [routes.log, routes.commits, routes.all])
      faults.add({ on, trouble: { status: 500 }, times: Number.POSITIVE_INFINITY });
    world.push({ as: 'grace', repo, branch: 'main', commits: ['Widen the gauge'] });
    ends('failure', 'printer');
    ends('failure');
    await services.round();
    const shown = card('failure on main');
    expect(shown).toContain('Job *build* failed');
    for (const unread of ['Error: ', 'since it last passed', 'also failed']) expect(shown).not.toContain(unread);
  });
});

describe('a default branch that turns red', () => {
  it('has one card: since which run, until which commit, with later failures in its thread', async () => {
    await begin('runs:failure');
    const { world } = services.forge;
    world.push({ as: 'grace', repo, branch: 'main', commits: ['Widen the gauge'] });
    const broke = ends('failure');
    await services.round();
    expect(card('failure on main')).toContain(`|run ${broke.number - 1}>, `);
    expect(card('failure on main')).toContain('last passed in ');
    world.push({ as: 'ada', repo, branch: 'main', commits: ['Narrow it'] });
    ends('failure');
    await services.round();
    expect(services.shown(engine).filter((text) => text.includes('failed on main'))).toHaveLength(1);
    world.push({ as: 'ada', repo, branch: 'main', commits: ['Put it back'] });
    const fixed = ends('success');
    await services.round();
    const shown = card('failure on main');
    expect(shown).toContain(`Fixed by <`);
    expect(shown).toMatch(new RegExp(`\\|run ${fixed.number}> with <[^|]*\\|success on main> by ada after`));
  });

  it('mentions authors only if they chose to be', async () => {
    await begin();
    const { world } = services.forge;
    world.push({ as: 'grace', repo, branch: 'main', commits: ['Widen the gauge'] });
    world.push({ as: 'margaret', repo, branch: 'main', commits: ['Paint it'] });
    const person = { team: services.slack.teamId, user: 'U0GRACE001' };
    await services.store.settings.put(person, { kinds: { broke_branch: true }, quiet: null });
    ends('failure');
    await services.round();
    expect(card('failure on main')).toContain('Widen the gauge> by <@U0GRACE001>');
    expect(card('failure on main')).toContain('Paint it> by margaret');
    expect(card('failure on main')).not.toContain('U0MARGARET');
  });
});

it('reads nothing about green runs, nor about failed ones that are not posted', async () => {
  await begin('runs branch:release');
  ends('success');
  ends('failure');
  await services.round();
  expect(asked()).toEqual([0, 0, 0, 0]);
  expect(cards().some(({ text }) => text.includes('failure on main'))).toBe(false);
});
