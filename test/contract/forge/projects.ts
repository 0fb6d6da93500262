import { expect } from 'vitest';
import type { ContractServer } from './server.js';
import type { On } from './suite.js';
import { expectFailure, expectPages, fresh, freshRepo } from './things.js';

async function freshBoard(server: ContractServer) {
  const at = await freshRepo(server);
  const body = { title: 'Board', description: 'd', template_type: 'basic_kanban' as const };
  const project = await server.people.carol.api.projects.createInRepo({ ...at, body });
  return { at: { ...at, id: project.id }, project };
}

export function projects(on: On): void {
  on('projects.createInRepo', 'creates a board', async (server) => {
    const { at, project } = await freshBoard(server);
    expect(project).toMatchObject({ title: 'Board', state: 'open', type: 'repository', template_type: 'basic_kanban' });
    expect(await server.people.carol.api.projects.getInRepo(at)).toMatchObject({ title: 'Board', description: 'd' });
  });

  on(
    'projects.createInRepo',
    'refuses a blank title, strangers, and archived or unknown repositories',
    async (server) => {
      const { carol, dave } = server.people;
      const at = await freshRepo(server);
      expect((await carol.send('POST', `/repos/${at.owner}/${at.repo}/projects`, { title: '' })).status).toBe(422);
      await expectFailure(dave.api.projects.createInRepo({ ...at, body: { title: 'x' } }), 'forbidden');
      const repo = fresh('nosuch');
      await expectFailure(carol.api.projects.createInRepo({ ...at, repo, body: { title: 'x' } }), 'notFound');
      await server.ground.archive(at);
      await expectFailure(carol.api.projects.createInRepo({ ...at, body: { title: 'x' } }), 'archived');
    },
  );

  on('projects.editInRepo', 'renames, closes and reopens', async (server) => {
    const { api } = server.people.carol;
    const { at } = await freshBoard(server);
    expect(await api.projects.editInRepo({ ...at, body: { title: 'Board 2', state: 'closed' } })).toMatchObject({
      title: 'Board 2',
      state: 'closed',
    });
    await api.projects.editInRepo({ ...at, body: { state: 'open' } });
    const open = await api.projects.getInRepo(at);
    expect(open).toMatchObject({ title: 'Board 2', state: 'open' });
    expect(open.closed_at).toBeUndefined();
  });

  on('projects.editInRepo', 'refuses an unknown state, an unknown board and an archived repository', async (server) => {
    const { carol } = server.people;
    const { at } = await freshBoard(server);
    const path = `/repos/${at.owner}/${at.repo}/projects/${at.id}`;
    expect((await carol.send('PATCH', path, { state: 'bogus' })).status).toBe(422);
    const id = 987_654_321;
    await expectFailure(carol.api.projects.editInRepo({ ...at, id, body: { title: 'x' } }), 'notFound');
    await server.ground.archive(at);
    await expectFailure(carol.api.projects.editInRepo({ ...at, body: { title: 'x' } }), 'archived');
  });

  on('projects.addColumn', 'adds a column', async (server) => {
    const { at } = await freshBoard(server);
    const body = { title: 'Doing', color: '#ff00aa' };
    const column = await server.people.carol.api.projects.addColumn({ ...at, body });
    expect(column).toMatchObject({ title: 'Doing', color: '#ff00aa', project_id: at.id });
  });

  on('projects.listColumns', 'lists what was added', async (server) => {
    const { carol } = server.people;
    const { at } = await freshBoard(server);
    const column = await carol.api.projects.addColumn({ ...at, body: { title: 'Doing' } });
    const { items } = await carol.api.projects.listColumns(at);
    expect(items.map(({ id }) => id)).toContain(column.id);
  });

  on('projects.addColumn', 'refuses a wrong color, a closed board and an unknown one', async (server) => {
    const { carol } = server.people;
    const { at } = await freshBoard(server);
    const path = `/repos/${at.owner}/${at.repo}/projects/${at.id}/columns`;
    expect((await carol.send('POST', path, { title: 'x', color: 'red' })).status).toBe(422);
    await expectFailure(carol.api.projects.addColumn({ ...at, id: 987_654_321, body: { title: 'x' } }), 'notFound');
    await carol.api.projects.editInRepo({ ...at, body: { state: 'closed' } });
    await expectFailure(carol.api.projects.addColumn({ ...at, body: { title: 'Late' } }), 'forbidden');
  });

  on(
    'projects.editMine',
    'changes a board of one’s own, and nobody else’s',
    async ({ people: { alice, bob }, ground }) => {
      const id = await ground.project('alice', fresh('Mine'));
      await alice.api.projects.editMine({ id, body: { description: 'new', card_type: 'images_and_text' } });
      expect(await alice.api.projects.getMine({ id })).toMatchObject({ description: 'new', type: 'individual' });
      await expectFailure(bob.api.projects.editMine({ id, body: { description: 'x' } }), 'notFound');
      expect((await alice.send('PATCH', `/user/projects/${id}`, { state: 'bogus' })).status).toBe(422);
    },
  );

  on('projects.listMyColumns', 'lists columns in pages', async ({ people: { alice, bob }, ground }) => {
    const id = await ground.project('alice', fresh('Mine'));
    expect((await alice.api.projects.listMyColumns({ id })).items.length).toBeGreaterThan(2);
    await expectPages(
      (query) => alice.api.projects.listMyColumns({ id, query }),
      (column) => column.id,
    );
    await expectFailure(bob.api.projects.listMyColumns({ id }), 'notFound');
  });

  on('projects.editMyColumn', 'moves and colors a column', async ({ people: { alice }, ground }) => {
    const id = await ground.project('alice', fresh('Mine'));
    const { items } = await alice.api.projects.listMyColumns({ id });
    const column_id = items.at(-1)?.id ?? 0;
    const body = { sorting: 5, color: '#112233', title: 'Last' };
    await alice.api.projects.editMyColumn({ id, column_id, body });
    const read = await alice.api.projects.listMyColumns({ id });
    expect(read.items.find((column) => column.id === column_id)).toMatchObject(body);
  });

  on(
    'projects.editMyColumn',
    'refuses impossible positions, closed boards and unknown columns',
    async ({ people, ground }) => {
      const { alice } = people;
      const id = await ground.project('alice', fresh('Mine'));
      const column_id = (await alice.api.projects.listMyColumns({ id })).items[0]?.id ?? 0;
      const path = `/user/projects/${id}/columns/${column_id}`;
      expect((await alice.send('PATCH', path, { sorting: 500 })).status).toBe(422);
      const unknown = 987_654_321;
      await expectFailure(
        alice.api.projects.editMyColumn({ id, column_id: unknown, body: { title: 'x' } }),
        'notFound',
      );
      await alice.api.projects.editMine({ id, body: { state: 'closed' } });
      await expectFailure(alice.api.projects.editMyColumn({ id, column_id, body: { title: 'x' } }), 'forbidden');
    },
  );

  on('projects.listInRepo', 'lists boards by state', async (server) => {
    const { at } = await freshBoard(server);
    const { api } = server.people.carol;
    expect((await api.projects.listInRepo(at)).items).toMatchObject([{ id: at.id }]);
    expect((await api.projects.listInRepo({ ...at, query: { state: 'closed' } })).items).toEqual([]);
  });

  on('projects.getInRepo', 'knows no such board', async (server) => {
    const at = await freshRepo(server);
    await expectFailure(server.people.carol.api.projects.getInRepo({ ...at, id: 987_654_321 }), 'notFound');
  });

  on('projects.listMine', 'lists boards of one’s own', async ({ people: { alice, bob }, ground }) => {
    const id = await ground.project('alice', fresh('Mine'));
    expect((await alice.api.projects.listMine()).items.map((project) => project.id)).toContain(id);
    expect((await bob.api.projects.listMine()).items.map((project) => project.id)).not.toContain(id);
  });

  on('projects.getMine', 'shows a board to its owner', async ({ people: { alice, bob }, ground }) => {
    const id = await ground.project('alice', 'Mine');
    expect(await alice.api.projects.getMine({ id })).toMatchObject({ title: 'Mine', state: 'open' });
    await expectFailure(bob.api.projects.getMine({ id }), 'notFound');
  });
}
