import { expect } from 'vitest';
import type { ContractServer } from './server.js';
import type { On } from './suite.js';
import { eventually, expectFailure, fresh, freshRepo } from './things.js';

const text = (label: string) =>
  `name: By hand\non:\n  workflow_dispatch:\n    inputs:\n      who:\n        default: world\njobs:\n  greet:\n    runs-on: ${label}\n    steps:\n      - run: echo hi\n`;

async function freshWorkflow(server: ContractServer) {
  const at = await freshRepo(server);
  const file = `${fresh('hand')}.yml`;
  await server.ground.workflow(at, file, text(fresh('label')));
  return { at, file, of: { ...at, workflow_id: file } };
}

export function workflows(on: On): void {
  on('workflows.list', 'shows the files of the default branch', async (server) => {
    const { at, file } = await freshWorkflow(server);
    const { items } = await server.people.carol.api.workflows.list(at);
    expect(items).toMatchObject([{ id: file, name: 'By hand', path: `.gitea/workflows/${file}`, state: 'active' }]);
  });

  on('workflows.disable', 'is shown in the list, and no longer dispatches', async (server) => {
    const { carol, dave } = server.people;
    const { at, of } = await freshWorkflow(server);
    await expectFailure(dave.api.workflows.disable(of), 'forbidden');
    await carol.api.workflows.disable(of);
    expect((await carol.api.workflows.list(at)).items).toMatchObject([{ state: 'disabled_manually' }]);
    await expectFailure(carol.api.workflows.dispatch({ ...of, body: { ref: 'main' } }), 'forbidden');
    await expectFailure(carol.api.workflows.disable({ ...of, workflow_id: 'nosuch.yml' }), 'notFound');
  });

  on('workflows.enable', 'undoes that', async (server) => {
    const { api } = server.people.carol;
    const { at, of } = await freshWorkflow(server);
    await api.workflows.disable(of);
    await api.workflows.enable(of);
    expect((await api.workflows.list(at)).items).toMatchObject([{ state: 'active' }]);
  });

  on('workflows.dispatch', 'starts a run, and says which', async (server) => {
    const { api } = server.people.carol;
    const { of, at, file } = await freshWorkflow(server);
    const query = { return_run_details: true };
    const body = { ref: 'refs/heads/main', inputs: { who: 'you' } };
    const run = (await api.workflows.dispatch({ ...of, query, body }))?.run ?? 0;
    expect(run).toBeGreaterThan(0);
    if (!(await server.has('runs.get'))) return;
    const started = await eventually(() => api.runs.get({ ...at, run }));
    expect(started).toMatchObject({ id: run, event: 'workflow_dispatch', status: 'queued', head_branch: 'main' });
    expect(started.path.startsWith(file)).toBe(true);
  });

  on('workflows.dispatch', 'refuses an unknown ref, an unknown file and people who cannot write', async (server) => {
    const { carol, dave } = server.people;
    const { of } = await freshWorkflow(server);
    await expectFailure(carol.api.workflows.dispatch({ ...of, body: { ref: fresh('nosuch') } }), 'notFound');
    const elsewhere = { ...of, workflow_id: 'nosuch.yml', body: { ref: 'main' } };
    await expectFailure(carol.api.workflows.dispatch(elsewhere), 'notFound');
    await expectFailure(dave.api.workflows.dispatch({ ...of, body: { ref: 'main' } }), 'forbidden');
  });

  on('repos.getFile', 'reads a file at a ref', async (server) => {
    const { api } = server.people.carol;
    const { at, file } = await freshWorkflow(server);
    const branch = fresh('branch');
    await server.ground.workflow(at, 'other.yml', 'on: push\n', branch);
    const read = async (path: string, ref?: string) => {
      const { content, encoding, type } = await api.repos.getFile({ ...at, filepath: path, query: { ref } });
      expect({ encoding, type }).toEqual({ encoding: 'base64', type: 'file' });
      return Buffer.from(content, 'base64').toString();
    };
    expect(await read(`.gitea/workflows/${file}`)).toContain('By hand');
    expect(await read('.gitea/workflows/other.yml', branch)).toBe('on: push\n');
    await expectFailure(read('.gitea/workflows/other.yml'), 'notFound');
  });
}
