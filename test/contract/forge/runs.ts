import { expect } from 'vitest';
import type { ContractServer } from './server.js';
import type { On } from './suite.js';
import { eventually, expectFailure, expectPages, fresh, freshRepo } from './things.js';

/** Queued, or taken by a runner that does nothing more. */
async function freshRun(server: ContractServer, taken = false) {
  const at = await freshRepo(server);
  const label = fresh('label');
  const runner = await server.ground.runner(label);
  const run = await server.ground.queueRun(at, label);
  if (taken) await runner.take();
  return { at: { ...at, run }, runner };
}

export function runs(on: On): void {
  on('runs.list', 'shows runs, by status', async (server) => {
    const { api } = server.people.carol;
    const { at, runner } = await freshRun(server);
    const ids = async (status: 'queued' | 'in_progress' | 'failure') =>
      (await api.runs.list({ ...at, query: { status: [status], exclude_pull_requests: true } })).items.map(
        ({ id }) => id,
      );
    expect(await ids('queued')).toEqual([at.run]);
    await runner.take();
    expect(await ids('queued')).toEqual([]);
    expect(await ids('in_progress')).toEqual([at.run]);
    await runner.finish('failure');
    expect(await ids('failure')).toEqual([at.run]);
  });

  on('runs.list', 'comes in pages', async (server) => {
    const at = await freshRepo(server);
    await server.ground.queueRun(at, fresh('label'));
    await server.ground.queueRun(at, fresh('label'));
    await expectPages(
      (query) => server.people.carol.api.runs.list({ ...at, query }),
      ({ id }) => id,
    );
  });

  on('runs.list', 'refuses an unknown status, an unknown actor and an unknown repository', async (server) => {
    const { carol } = server.people;
    const at = await freshRepo(server);
    expect((await carol.send('GET', `/repos/${at.owner}/${at.repo}/actions/runs?status=bogus`)).status).toBe(400);
    const byNobody = carol.api.runs.list({ ...at, query: { actor: fresh('nobody') } });
    // Forgejo ignores the actor: none of its rows remain here.
    if (server.product === 'Forgejo') expect((await byNobody).items).toEqual([]);
    else await expectFailure(byNobody, 'rejected');
    await expectFailure(carol.api.runs.list({ ...at, repo: fresh('nosuch') }), 'notFound');
  });

  on('runs.get', 'shows a run from queue to end', async (server) => {
    const { api } = server.people.carol;
    const { at, runner } = await freshRun(server);
    const queued = await api.runs.get(at);
    expect(queued).toMatchObject({ id: at.run, status: 'queued', started_at: undefined });
    expect(queued.conclusion).toBeUndefined();
    await runner.take();
    const taken = await api.runs.get(at);
    expect(taken.status).toBe('in_progress');
    expect(taken.conclusion).toBeUndefined();
    await runner.finish('success');
    expect(await api.runs.get(at)).toMatchObject({ status: 'completed', conclusion: 'success', event: 'push' });
    await expectFailure(api.runs.get({ ...at, run: 987_654_321 }), 'notFound');
  });

  on('runs.listJobs', 'shows who runs what', async (server) => {
    const { at, runner } = await freshRun(server, true);
    const { items } = await server.people.carol.api.runs.listJobs(at);
    const by = server.product === 'Forgejo' ? {} : { runner_id: runner.id, runner_name: runner.name };
    expect(items).toMatchObject([{ name: 'build', status: 'in_progress', ...by }]);
  });

  on('runs.listAttemptJobs', 'shows the jobs of an earlier attempt', async (server) => {
    const { api } = server.people.carol;
    const { at, runner } = await freshRun(server, true);
    await runner.finish('failure');
    await eventually(() => api.runs.rerun(at));
    expect((await api.runs.listAttemptJobs({ ...at, attempt: 1 })).items).toMatchObject([
      { name: 'build', conclusion: 'failure' },
    ]);
    await expectFailure(api.runs.listAttemptJobs({ ...at, attempt: 9 }), 'notFound');
  });

  on('runs.listRepoJobs', 'shows the jobs of all runs, by status', async (server) => {
    const { api } = server.people.carol;
    const { at, runner } = await freshRun(server, true);
    const { owner, repo } = at;
    const failed = async () =>
      (await api.runs.listRepoJobs({ owner, repo, query: { status: ['failure'], sort: 'id', order: 'desc' } })).items;
    expect(await failed()).toEqual([]);
    await runner.finish('failure');
    expect(await failed()).toMatchObject([{ run_id: at.run, name: 'build', head_branch: 'main' }]);
  });

  on('runs.approve', 'refuses a run that needs no approval, and one that does not exist', async (server) => {
    const { api } = server.people.carol;
    const { at } = await freshRun(server);
    await expectFailure(api.runs.approve(at), 'conflict');
    await expectFailure(api.runs.approve({ ...at, run: 987_654_321 }), 'notFound');
    await expectFailure(server.people.dave.api.runs.approve(at), 'forbidden');
  });

  on('runs.jobLog', 'reads what the runner wrote, once it started', async (server) => {
    const { api } = server.people.carol;
    const { at, runner } = await freshRun(server);
    const { owner, repo } = at;
    const [job] = (await api.runs.listJobs(at)).items;
    const of = { owner, repo, job_id: job?.id ?? 0 };
    await expectFailure(api.runs.jobLog(of), 'notFound');
    await runner.take();
    await runner.write('first', 'the last word');
    await runner.finish('failure');
    const { text, whole } = await eventually(() => api.runs.jobLog(of));
    expect(whole).toBe(true);
    expect(text).toMatch(/^\S+Z first\n\S+Z the last word\n/);
    await expectFailure(api.runs.jobLog({ ...of, job_id: 987_654_321 }), 'notFound');
  });

  on('runs.rerun', 'reruns a finished run', async (server) => {
    const { api } = server.people.carol;
    const { at, runner } = await freshRun(server, true);
    await expectFailure(api.runs.rerun(at), 'invalid');
    await runner.finish('failure');
    await api.runs.rerun(at);
    const again = await api.runs.get(at);
    expect(again.status).toBe('queued');
    expect(again.conclusion).toBeUndefined();
  });

  on('runs.rerunFailed', 'reruns the failed jobs, and does nothing if none failed', async (server) => {
    const { api } = server.people.carol;
    const { at, runner } = await freshRun(server, true);
    await runner.finish('success');
    await api.runs.rerunFailed(at);
    expect(await api.runs.get(at)).toMatchObject({ status: 'completed', conclusion: 'success' });
    const failed = await freshRun(server, true);
    await failed.runner.finish('failure');
    await api.runs.rerunFailed(failed.at);
    expect((await api.runs.get(failed.at)).status).toBe('queued');
    await expectFailure(api.runs.rerunFailed({ ...at, run: 987_654_321 }), 'notFound');
  });

  on('runs.rerunJob', 'reruns one job of a finished run, for people with write access', async (server) => {
    const { carol, dave } = server.people;
    const { at, runner } = await freshRun(server, true);
    const job = async () => (await carol.api.runs.listJobs(at)).items[0]?.id ?? 0;
    await expectFailure(carol.api.runs.rerunJob({ ...at, job_id: await job() }), 'invalid');
    await runner.finish('failure');
    await expectFailure(carol.api.runs.rerunJob({ ...at, job_id: 987_654_321 }), 'notFound');
    await expectFailure(dave.api.runs.rerunJob({ ...at, job_id: await job() }), 'forbidden');
    await carol.api.runs.rerunJob({ ...at, job_id: await job() });
    expect((await carol.api.runs.get(at)).status).toBe('queued');
  });

  on('runs.cancel', 'cancels at once what no runner took, and only once', async (server) => {
    const { api } = server.people.carol;
    const { at } = await freshRun(server);
    await api.runs.cancel(at);
    expect(await api.runs.get(at)).toMatchObject({ status: 'completed', conclusion: 'cancelled' });
    // Forgejo accepts canceling a finished run.
    if (server.product === 'Forgejo') expect(await api.runs.cancel(at)).toBeUndefined();
    else await expectFailure(api.runs.cancel(at), 'conflict');
  });

  on('runs.cancel', 'waits for the runner', async (server) => {
    const { api } = server.people.carol;
    const { at } = await freshRun(server, true);
    await api.runs.cancel(at);
    const { status, conclusion } = await api.runs.get(at);
    // Forgejo ends a job at once, whatever its runner reports.
    if (server.product === 'Forgejo')
      expect({ status, conclusion }).toEqual({ status: 'completed', conclusion: 'cancelled' });
    else expect({ status, conclusion }).toEqual({ status: 'in_progress', conclusion: undefined });
  });

  on('runs.forceCancel', 'ends a run whose runner does not respond, and discards its late report', async (server) => {
    const { api } = server.people.carol;
    const { at, runner } = await freshRun(server, true);
    await api.runs.cancel(at);
    expect(await api.runs.forceCancel(at)).toMatchObject({ status: 'completed', conclusion: 'cancelled' });
    await runner.finish('success');
    expect(await api.runs.get(at)).toMatchObject({ status: 'completed', conclusion: 'cancelled' });
  });

  on('runs.forceCancel', 'refuses finished and unknown runs, and those the caller may not stop', async (server) => {
    const { carol, dave } = server.people;
    const { at, runner } = await freshRun(server, true);
    await expectFailure(dave.api.runs.forceCancel(at), 'forbidden');
    await runner.finish('success');
    await expectFailure(carol.api.runs.forceCancel(at), 'conflict');
    await expectFailure(carol.api.runs.forceCancel({ ...at, run: 987_654_321 }), 'notFound');
  });
}
