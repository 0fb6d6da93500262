import type { Flavor, SandboxForge } from '@bellows/sandbox/forge';
import { describe, expect, it } from 'vitest';
import { ask, forges } from './ask.js';
import { send } from './replay.js';

const start = forges();
const flavors = ['forgejo-11', 'forgejo-15', 'forgejo-16'] as const satisfies Flavor[];
const plainMissing = { status: 404, answer: { __raw: '404 page not found\n' } };
const wrongMethod = { status: 405, answer: null };

async function parameters(forge: SandboxForge, method: string, path: string): Promise<string[]> {
  const { answer } = await send(`${forge.url}/swagger.v1.json`, 'GET');
  // Its own description.
  const { paths } = answer as { paths: Record<string, Record<string, { parameters: { name: string; in: string }[] }>> };
  return (paths[path]?.[method]?.parameters ?? []).filter((each) => each.in === 'query').map((each) => each.name);
}

describe.each(flavors)('a forge of %s', (flavor) => {
  it('says what it is', async () => {
    const forge = await start({ flavor });
    const version = expect.stringMatching(new RegExp(`^${flavor.slice('forgejo-'.length)}\\..*\\+gitea-1\\.22\\.0$`));
    expect((await ask(forge, 'ada', 'GET /version')).answer).toEqual({ version });
    const { answer } = await send(`${forge.url}/api/forgejo/v1/version`, 'GET');
    expect(JSON.stringify(answer)).toContain('+gitea-1.22.0');
    expect((await send(`${forge.url}/swagger.v1.json`, 'GET')).answer).toMatchObject({
      info: { title: 'Forgejo API' },
    });
  });

  it('lacks what no Forgejo has', async () => {
    const forge = await start({ flavor });
    for (const route of ['GET /user/projects', 'GET /admin/actions/runs', 'GET /token'] as const) {
      expect(await ask(forge, 'ada', route)).toMatchObject(plainMissing);
    }
    expect(await ask(forge, 'ada', 'POST /repos/acme/engine/actions/runs/1/rerun')).toMatchObject(plainMissing);
  });

  it('ignores filters that it does not list', async () => {
    const forge = await start({ flavor });
    expect(await parameters(forge, 'get', '/repos/issues/search')).not.toContain('created_by');
    const all = await ask(forge, 'ada', 'GET /repos/issues/search?state=all');
    expect((await ask(forge, 'ada', 'GET /repos/issues/search?state=all&created_by=nobody')).answer).toEqual(
      all.answer,
    );
    const commits = await ask(forge, 'ada', 'GET /repos/acme/engine/commits');
    const later = await ask(forge, 'ada', 'GET /repos/acme/engine/commits?since=2099-01-01T00:00:00Z');
    expect(later.answer).toEqual(commits.answer);
  });

  it('overwrites an edit with a stale content version, and merges with a title only in camel case', async () => {
    const forge = await start({ flavor });
    const path = 'PATCH /repos/acme/engine/issues/4';
    expect(await ask(forge, 'grace', path, { body: 'new', content_version: 9 })).toMatchObject({ status: 201 });
    const merge = 'POST /repos/acme/engine/pulls/8/merge';
    await ask(forge, 'grace', merge, { Do: 'merge', merge_title_field: 'snake', MergeTitleField: 'camel' });
    expect((await ask(forge, 'grace', 'GET /repos/acme/engine/commits?limit=1')).answer).toMatchObject([
      { commit: { message: 'camel\n' } },
    ]);
  });
});

describe('a forge of forgejo-11', () => {
  it('has tasks but no runs', async () => {
    const forge = await start({ flavor: 'forgejo-11' });
    expect(await ask(forge, 'ada', 'GET /repos/acme/engine/actions/runs')).toMatchObject(plainMissing);
    const { answer } = await ask(forge, 'ada', 'GET /repos/acme/engine/actions/tasks?limit=1');
    expect(answer).toMatchObject({ workflow_runs: [{ status: 'running', workflow_id: 'deploy.yml' }] });
    expect(await ask(forge, 'ada', 'GET /admin/actions/runners')).toMatchObject(plainMissing);
    expect(await ask(forge, 'ada', 'GET /admin/runners/registration-token')).toMatchObject({ status: 200 });
  });

  it('answers a renamed repository with 307 and only the path', async () => {
    const forge = await start({ flavor: 'forgejo-11' });
    forge.world.renameRepo({ as: 'ada', repo: 'acme/website', name: 'site' });
    const answer = await ask(forge, 'ada', 'GET /repos/acme/website');
    expect(answer).toMatchObject({ status: 307, headers: { location: '/api/v1/repos/acme/site' } });
  });
});

describe('a forge of forgejo-15', () => {
  it('shows runs in its own shape, and accepts only its own words', async () => {
    const forge = await start({ flavor: 'forgejo-15' });
    const list = 'GET /repos/acme/engine/actions/runs';
    const { answer, headers } = await ask(forge, 'ada', `${list}?run_number=1`);
    expect(answer).toMatchObject({ workflow_runs: [{ index_in_repo: 1, status: 'success' }], total_count: 1 });
    expect(headers['x-total-count']).toBeUndefined();
    expect(await ask(forge, 'ada', `${list}?status=queued`)).toMatchObject({
      status: 400,
      answer: { message: 'unknown status: queued' },
    });
    expect(await ask(forge, 'ada', `${list}/1/jobs`)).toMatchObject(plainMissing);
  });

  it('lists runners and cannot disable them', async () => {
    const forge = await start({ flavor: 'forgejo-15' });
    expect((await ask(forge, 'ada', 'GET /admin/actions/runners?limit=2')).answer).toMatchObject([
      { name: 'builder-1', status: 'idle', labels: ['ubuntu-latest', 'docker'] },
      { name: 'builder-2', status: 'offline' },
    ]);
    expect(await ask(forge, 'ada', 'PATCH /admin/actions/runners/1', { disabled: true })).toMatchObject(wrongMethod);
    expect(await ask(forge, 'ada', 'POST /admin/actions/runners/registration-token')).toMatchObject(wrongMethod);
    expect((await ask(forge, 'ada', 'GET /admin/actions/runners/registration-token')).status).toBe(200);
  });

  it('repeats the token that it refuses', async () => {
    const forge = await start({ flavor: 'forgejo-15' });
    const headers = { authorization: 'token not-a-real-token' };
    expect(await send(`${forge.apiUrl}/user`, 'GET', { headers })).toMatchObject({
      status: 401,
      answer: { message: 'access token does not exist [sha: not-a-real-token]' },
    });
  });

  it('keeps rows from before its upgrade in the old form', async () => {
    const forge = await start({ flavor: 'forgejo-15' });
    forge.world.setRowForm('piped');
    forge.world.openIssue({ as: 'ada', repo: 'acme/vault', title: 'old | form' });
    forge.world.setRowForm('listed');
    forge.world.openIssue({ as: 'ada', repo: 'acme/vault', title: 'new <form> & more' });
    const { answer } = await ask(forge, 'ada', 'GET /repos/acme/vault/activities/feeds?limit=2');
    expect(answer).toMatchObject([
      { content: expect.stringMatching(/^\["\d+","new \\u003cform\\u003e \\u0026 more"\]$/) },
      { content: expect.stringMatching(/^\d+\|old \| form$/) },
    ]);
  });
});

describe('a forge of forgejo-16', () => {
  it('cancels without a body, a finished run too', async () => {
    const forge = await start({ flavor: 'forgejo-16' });
    const run = forge.world.startRun({ as: 'ada', repo: 'acme/engine' });
    const cancel = `POST /repos/acme/engine/actions/runs/${run.id}/cancel` as const;
    expect(await ask(forge, 'ada', cancel)).toMatchObject({ status: 204, answer: null });
    expect(run.status).toBe('cancelled');
    expect((await ask(forge, 'ada', cancel)).status).toBe(204);
    expect((await ask(forge, 'ada', `GET /repos/acme/engine/actions/runs/${run.id}/jobs`)).answer).toMatchObject([
      { run_id: run.id, runs_on: ['ubuntu-latest'], status: 'cancelled' },
    ]);
  });
});
