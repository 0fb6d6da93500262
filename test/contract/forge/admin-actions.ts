import { expect } from 'vitest';
import type { On } from './suite.js';
import { all, expectFailure, expectPages, fresh, freshRepo, isAtLeast } from './things.js';

const nobody = 987_654_321;

export function adminActions(on: On): void {
  on('admin.listJobs', 'shows a job that waits for a runner', async (server) => {
    const run = await server.ground.queueRun(await freshRepo(server), fresh('label'));
    const query = { status: ['queued' as const], sort: 'id' as const, order: 'desc' as const };
    const jobs = await all(server.people.root.api.admin.listJobs.each({ query }));
    expect(jobs.find((job) => job.run_id === run)).toMatchObject({ status: 'queued', name: 'build' });
  });

  on('admin.listJobs', 'comes in pages', async (server) => {
    const at = await freshRepo(server);
    await server.ground.queueRun(at, fresh('label'));
    await server.ground.queueRun(at, fresh('label'));
    await expectPages(
      (query) => server.people.root.api.admin.listJobs({ query }),
      (job) => job.id,
    );
  });

  on('admin.listJobs', 'refuses an unknown status, an unknown order, and people who are not admins', async (server) => {
    const { root, alice } = server.people;
    expect((await root.send('GET', '/admin/actions/jobs?status=bogus')).status).toBe(400);
    const sorted = (await root.send('GET', '/admin/actions/jobs?sort=bogus')).status;
    expect(sorted).toBe(isAtLeast(server, '1.27') ? 422 : 200);
    await expectFailure(alice.api.admin.listJobs(), 'forbidden');
  });

  on('admin.listRunners', 'lists runners, and only the disabled ones', async (server) => {
    const { root } = server.people;
    const [on, off] = [await server.ground.runner(fresh('label')), await server.ground.runner(fresh('label'))];
    const every = await all(root.api.admin.listRunners.each());
    expect(every.map((runner) => runner.id)).toEqual(expect.arrayContaining([on.id, off.id]));
    if (!(await server.has('admin.editRunner'))) return;
    await root.api.admin.editRunner({ runner_id: off.id, body: { disabled: true } });
    const disabled = await all(root.api.admin.listRunners.each({ query: { disabled: true } }));
    expect(disabled.map((runner) => runner.id)).toContain(off.id);
    expect(disabled.map((runner) => runner.id)).not.toContain(on.id);
  });

  on('admin.listRunners', 'comes in pages, to admins only', async ({ people: { root, alice }, ground }) => {
    await ground.runner(fresh('label'));
    await ground.runner(fresh('label'));
    await expectPages(
      (query) => root.api.admin.listRunners({ query }),
      (runner) => runner.id,
    );
    await expectFailure(alice.api.admin.listRunners(), 'forbidden');
  });

  on('admin.createRegistrationToken', 'returns the same token again', async ({ people: { root, alice } }) => {
    const [first, again] = [
      await root.api.admin.createRegistrationToken(),
      await root.api.admin.createRegistrationToken(),
    ];
    expect(first.token).not.toBe('');
    expect(again).toEqual(first);
    await expectFailure(alice.api.admin.createRegistrationToken(), 'forbidden');
  });

  on('admin.createRunner', 'registers a runner that can then be read', async ({ people: { root, alice } }) => {
    const name = fresh('runner');
    const body = { name, description: 'made by name', ephemeral: true };
    const made = await root.api.admin.createRunner({ body });
    expect(made.token).not.toBe('');
    expect(made.uuid).toMatch(/^[0-9a-f-]{36}$/);
    const found = await root.api.admin.getRunner({ runner_id: made.id });
    expect(found).toMatchObject({ id: made.id, name, status: 'offline', busy: false, ephemeral: true, labels: [] });
    await root.api.admin.deleteRunner({ runner_id: made.id });
    await expectFailure(alice.api.admin.createRunner({ body }), 'forbidden');
  });

  on('admin.getRunner', 'shows an idle runner, and a busy one', async (server) => {
    const { root } = server.people;
    const label = fresh('label');
    const { id, name, take, finish } = await server.ground.runner(label);
    const idle = await root.api.admin.getRunner({ runner_id: id });
    expect(idle).toMatchObject({ id, name, busy: false, labels: [{ name: label }] });
    expect(idle.disabled).toBe((await server.has('admin.editRunner')) ? false : undefined);
    await server.ground.queueRun(await freshRepo(server), label);
    await take();
    expect(await root.api.admin.getRunner({ runner_id: id })).toMatchObject({ status: 'online', busy: true });
    await finish('success');
  });

  on('admin.getRunner', 'knows no such runner', async ({ people: { root } }) => {
    await expectFailure(root.api.admin.getRunner({ runner_id: nobody }), 'notFound');
  });

  on('admin.editRunner', 'disables and enables a runner', async ({ people: { root }, ground }) => {
    const { id } = await ground.runner(fresh('label'));
    const off = await root.api.admin.editRunner({ runner_id: id, body: { disabled: true } });
    expect(off).toMatchObject({ id, disabled: true });
    expect(await root.api.admin.getRunner({ runner_id: id })).toMatchObject({ disabled: true });
    await root.api.admin.editRunner({ runner_id: id, body: { disabled: false } });
    expect(await root.api.admin.getRunner({ runner_id: id })).toMatchObject({ disabled: false });
  });

  on('admin.editRunner', 'refuses an empty change and an unknown runner', async ({ people: { root }, ground }) => {
    const { id } = await ground.runner(fresh('label'));
    expect((await root.send('PATCH', `/admin/actions/runners/${id}`, {})).status).toBe(422);
    await expectFailure(root.api.admin.editRunner({ runner_id: nobody, body: { disabled: true } }), 'notFound');
  });

  on('admin.deleteRunner', 'removes a runner, once', async ({ people: { root }, ground }) => {
    const { id } = await ground.runner(fresh('label'));
    expect(await root.api.admin.deleteRunner({ runner_id: id })).toBeUndefined();
    await expectFailure(root.api.admin.getRunner({ runner_id: id }), 'notFound');
    await expectFailure(root.api.admin.deleteRunner({ runner_id: id }), 'notFound');
  });

  on('admin.listRuns', 'shows the runs of every repository, by status', async (server) => {
    const { api } = server.people.root;
    const run = await server.ground.queueRun(await freshRepo(server, { private: true }), fresh('label'));
    const queued = await api.admin.listRuns({ query: { status: ['queued'], event: 'push', branch: 'main' } });
    expect(queued.items.map(({ id }) => id)).toContain(run);
    const failed = await all(api.admin.listRuns.each({ query: { status: ['failure'] } }));
    expect(failed.map(({ id }) => id)).not.toContain(run);
  });

  on('admin.listRuns', 'comes in pages', async (server) => {
    const at = await freshRepo(server);
    await server.ground.queueRun(at, fresh('label'));
    await server.ground.queueRun(at, fresh('label'));
    await expectPages(
      (query) => server.people.root.api.admin.listRuns({ query }),
      (run) => run.id,
    );
  });

  on(
    'admin.listRuns',
    'refuses an unknown status, an unknown actor, and people who are not admins',
    async ({ people }) => {
      expect((await people.root.send('GET', '/admin/actions/runs?status=bogus')).status).toBe(400);
      await expectFailure(people.root.api.admin.listRuns({ query: { actor: fresh('nobody') } }), 'rejected');
      await expectFailure(people.alice.api.admin.listRuns(), 'forbidden');
    },
  );
}
