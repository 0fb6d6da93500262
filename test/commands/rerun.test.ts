import type { Conclusion } from '@bellows/sandbox/forge/state/actions.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, click } = talkTo(() => bellows);
const repo = 'acme/website';
const routes = {
  all: 'POST /repos/{owner}/{repo}/actions/runs/{run}/rerun',
  failed: 'POST /repos/{owner}/{repo}/actions/runs/{run}/rerun-failed-jobs',
  job: 'POST /repos/{owner}/{repo}/actions/runs/{run}/jobs/{job_id}/rerun',
} as const;
const sent = (route: string) => bellows.forge.requests.of(route);

/** A finished run, with a job for each of these conclusions. */
function ended(title: string, ...conclusions: readonly Conclusion[]) {
  const { world } = bellows.forge;
  const jobs = conclusions.map((_, at) => ({ name: `job ${at + 1}`, labels: ['gpu'], needs: [], steps: ['make'] }));
  const run = world.queueRun({ as: 'grace', repo, title, jobs });
  run.jobs.forEach((job, at) => {
    world.finishJob({ job: job.id, conclusion: conclusions[at] ?? 'success' });
  });
  return run;
}
const statuses = (run: number) => bellows.forge.world.run(run)?.jobs.map(({ status }) => status);

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
  await bellows.link('grace');
});
afterAll(() => bellows.close());
beforeEach(() => bellows.forge.requests.clear());
afterEach(() => {
  bellows.forge.faults.clear();
  expect(bellows.slack.failures.all).toEqual([]);
});

describe('run rerun', () => {
  it('reruns all jobs', async () => {
    const run = ended('All of it', 'success', 'failure');
    const answer = await type('ada', `run rerun ${repo}#${run.id}`);
    expect(answer.text).toContain('Rerunning: ');
    expect(sent(routes.all)).toMatchObject([{ who: 'ada' }]);
    expect(statuses(run.id)).toEqual(['success', 'failure', 'waiting', 'waiting']);
  });

  it('reruns only the failed jobs', async () => {
    const run = ended('One of them', 'success', 'failure');
    expect((await type('ada', `run rerun ${repo}#${run.id} --failed`)).text).toContain('Rerunning failed jobs:');
    expect(sent(routes.failed)).toHaveLength(1);
    expect(statuses(run.id)?.slice(2)).toEqual(['success', 'waiting']);
  });

  it('reruns one job by its name', async () => {
    const run = ended('By name', 'failure', 'failure');
    expect((await type('ada', `run rerun ${repo}#${run.id} --job "Job 2"`)).text).toContain('Rerunning job Job 2:');
    expect(sent(routes.job)).toMatchObject([
      { path: `/repos/${repo}/actions/runs/${run.id}/jobs/${run.jobs[1]?.id}/rerun` },
    ]);
    expect((await type('ada', `run rerun ${repo}#${ended('Again', 'failure').id} --job lint`)).text).toContain(
      'This run has no job `lint`. Its jobs: `job 1`.',
    );
  });

  it('sends nothing if no job failed, or both choices are made', async () => {
    const run = ended('All fine', 'success');
    expect((await type('ada', `run rerun ${repo}#${run.id} --failed`)).text).toContain('No failed jobs in this run.');
    expect((await type('ada', `run rerun ${repo}#${run.id} --failed --job build`)).text).toContain('not both');
    expect([routes.all, routes.failed, routes.job].flatMap(sent)).toEqual([]);
    expect((await type('ada', `run rerun ${repo}#${run.id}`)).text).toContain('Rerunning');
  });

  it('refuses until the run has ended', async () => {
    const run = bellows.forge.world.queueRun({ as: 'grace', repo, title: 'Under way' });
    expect((await type('ada', `run rerun ${repo}#${run.id}`)).text).toContain('Still running');
    expect(sent(routes.all)).toEqual([]);
  });
});

describe('two people within seconds', () => {
  it('rerun once, and the second learns who did it', async () => {
    const run = ended('Wanted by two', 'failure');
    bellows.forge.faults.add({ on: routes.failed, trouble: { delay: 700 } });
    const there = bellows.forge.requests.next(/rerun-failed-jobs$/);
    const first = type('grace', `run rerun ${repo}#${run.id} --failed`);
    await there;
    const second = await type('ada', `run rerun ${repo}#${run.id} --failed`);
    expect(words(second)).toMatch(/<@U0GRACE\w*> reran this/);
    expect((await first).text).toContain('Rerunning failed jobs:');
    expect(sent(routes.failed)).toMatchObject([{ who: 'grace' }]);
    const later = await type('ada', `run rerun ${repo}#${run.id}`);
    expect(words(later)).toMatch(/<@U0GRACE\w*> reran this/);
    expect(sent(routes.all)).toEqual([]);
  });

  it('may rerun it if it fails again', async () => {
    const run = ended('Twice', 'failure');
    await type('grace', `run rerun ${repo}#${run.id}`);
    bellows.forge.world.finishRun({ run: run.id, conclusion: 'failure' });
    expect((await type('ada', `run rerun ${repo}#${run.id}`)).text).toContain('Rerunning: ');
    expect(sent(routes.all)).toHaveLength(2);
  });

  it('are not blocked by someone whom the forge refused', async () => {
    const run = ended('Refused to one', 'failure');
    bellows.forge.faults.add({ on: routes.all, trouble: { status: 403, message: 'no' }, times: 1 });
    await type('grace', `run rerun ${repo}#${run.id}`);
    bellows.forge.faults.clear();
    expect((await type('ada', `run rerun ${repo}#${run.id}`)).text).toContain('Rerunning: ');
  });
});

it('is offered for a number that may mean two runs, and reruns the chosen one', async () => {
  const first = ended('The first', 'failure');
  let second = ended('The second', 'failure');
  while (second.number < first.id) second = ended('The second', 'failure');
  const answer = await type('ada', `run rerun ${repo}#${first.id}`);
  expect(answer.text).toContain('Which run do you mean?');
  expect((await click('ada', answer, `Rerun run ${second.number}: The second`)).text).toContain(
    `The second, run ${second.number}`,
  );
});

it('keeps the other arguments when the run is chosen', async () => {
  const first = ended('Only failed, first', 'failure');
  let second = ended('Only failed, second', 'failure');
  while (second.number < first.id) second = ended('Only failed, second', 'failure');
  const answer = await type('ada', `run rerun ${repo}#${first.id} --failed`);
  expect((await click('ada', answer, `Rerun run ${second.number}: Only failed, second`)).text).toContain(
    'Rerunning failed jobs: ',
  );
  expect(sent(routes.all)).toEqual([]);
});

it('run flaky names jobs that failed and passed on the same commit', async () => {
  const { world } = bellows.forge;
  const end = (workflow: string, sha: string, conclusion: Conclusion) => {
    const jobs = [{ name: 'lint', labels: ['gpu'], needs: [], steps: [] }];
    const run = world.queueRun({ as: 'grace', repo: 'linus/notes', title: 'Flaky', workflow, sha, jobs });
    world.finishRun({ run: run.id, conclusion });
  };
  end('a.yml', 'a'.repeat(40), 'failure');
  expect((await type('ada', 'run flaky linus/notes')).text).toContain('No flaky jobs in');
  end('a.yml', 'a'.repeat(40), 'success');
  end('b.yml', 'b'.repeat(40), 'failure');
  const found = words(await type('ada', 'run flaky linus/notes'));
  expect(found).toContain('`lint` in `a.yml`: on 1 commit');
  expect(found).not.toContain('b.yml');
});

it.each(['gitea-1.28', 'gitea-1.26'] as const)(
  'run flaky names the job and run that a rerun cured on %s',
  async (flavor) => {
    const here = await startBellows({ forge: { flavor } });
    try {
      await here.link('ada');
      const { world } = here.forge;
      const jobs = ['build', 'lint'].map((name) => ({ name, labels: ['gpu'], needs: [], steps: [] }));
      const run = world.queueRun({ as: 'grace', repo: 'acme/website', title: 'Cured', workflow: 'c.yml', jobs });
      for (const job of run.jobs)
        world.finishJob({ job: job.id, conclusion: job.plan.name === 'lint' ? 'failure' : 'success' });
      const api = `${here.forge.url}/api/v1/repos/acme/website/actions/runs/${run.id}/rerun-failed-jobs`;
      const headers = { authorization: `token ${here.forge.account('grace').token()}` };
      expect((await fetch(api, { method: 'POST', headers })).status).toBe(201);
      world.finishRun({ run: run.id, conclusion: 'success' });
      const found = words(await talkTo(() => here).type('ada', 'run flaky acme/website'));
      expect(found).toContain('`lint` in `c.yml`: on 1 commit');
      expect(found).toContain(`Cured, run ${run.number}`);
      expect(found).not.toContain('`build` in `c.yml`');
    } finally {
      await here.close();
    }
  },
);

it('run approve starts a run from a fork, and says if none is needed', async () => {
  const { world } = bellows.forge;
  const run = world.queueRun({ as: 'linus', repo, title: 'From a fork', event: 'pull_request', needsApproval: true });
  expect(run.status).toBe('blocked');
  expect((await type('ada', `run approve ${repo}#${run.id}`)).text).toContain('Approved ');
  expect(run.status).toBe('waiting');
  const other = world.queueRun({ as: 'linus', repo, title: 'Another', event: 'pull_request', needsApproval: true });
  const stop = bellows.forge.faults.add({
    on: /^GET .*\/runs\/\d+$/,
    after: 1,
    times: 9,
    trouble: { status: 500 },
  });
  expect((await type('ada', `run approve ${repo}#${other.id}`)).text).toContain('Done: `run approve`.');
  stop();
  const plain = world.queueRun({ as: 'grace', repo, title: 'Plain' });
  expect((await type('ada', `run approve ${repo}#${plain.id}`)).text).toContain('doesn’t need approval');
});
