import { describe, expect, it } from 'vitest';
import { ask, forges } from './ask.js';
import { send } from './replay.js';

const start = forges();
const engine = '/repos/acme/engine';
const usual = (message: string) => ({ message, url: expect.stringContaining('/api/swagger') });

describe('what the forge refuses', () => {
  it('an edit of a text that has changed since', async () => {
    const forge = await start();
    const edit = (body: object) => ask(forge, 'grace', `PATCH ${engine}/issues/4`, body);
    expect(await edit({ body: 'new', content_version: 0 })).toMatchObject({
      status: 201,
      answer: { content_version: 1 },
    });
    expect(await edit({ title: 'newer', content_version: 0 })).toMatchObject({
      status: 409,
      answer: usual('the issue is already changed'),
    });
    expect(await edit({ title: 'newer' })).toMatchObject({
      status: 201,
      answer: { title: 'newer', content_version: 1 },
    });
  });

  it('closing what depends on something open, an unknown state, and a merged pull request', async () => {
    const forge = await start();
    const set = (path: `/${string}`, state: string) => ask(forge, 'ada', `PATCH ${path}`, { state });
    expect((await set('/repos/acme/website/issues/6', 'closed')).status).toBe(412);
    expect((await set('/repos/acme/website/issues/5', 'closed')).status).toBe(201);
    expect((await set('/repos/acme/website/issues/6', 'closed')).status).toBe(201);
    expect(await set(`${engine}/issues/4`, 'bogus')).toMatchObject({
      status: 412,
      answer: usual('unknown state: bogus'),
    });
    expect((await set(`${engine}/pulls/3`, 'open')).status).toBe(412);
  });

  it.each(['gitea-1.28', 'gitea-1.26', 'forgejo-15', 'forgejo-11'] as const)(
    'the units that a team does not have, on %s',
    async (flavor) => {
      const forge = await start({ flavor });
      const status = async (path: string) => (await ask(forge, 'linus', `GET /repos/acme/vault${path}`)).status;
      forge.world.createTeam({
        org: 'acme',
        name: 'scribes',
        allRepos: true,
        units: { wiki: 'read' },
        members: ['linus'],
      });
      expect(await status('')).toBe(200);
      for (const path of ['/issues', '/issues/1', '/issues/1/comments', '/pulls']) expect(await status(path)).toBe(404);
      for (const path of [
        flavor === 'forgejo-11' ? '/actions/tasks' : '/actions/runs',
        '/branches',
        '/commits',
        '/contents/README.md',
        '/releases',
      ])
        expect(await status(path)).toBe(403);
      forge.world.createTeam({
        org: 'acme',
        name: 'askers',
        allRepos: true,
        units: { pulls: 'read' },
        members: ['linus'],
      });
      // pull requests show code
      expect(await status('/pulls')).toBe(403);
      expect(await status('/issues?type=pulls')).toBe(200);
      expect(await status('/issues/1')).toBe(404);
    },
  );

  it('strangers, silently', async () => {
    const forge = await start();
    expect(await ask(forge, 'linus', `PATCH ${engine}/issues/4`, { state: 'closed' })).toMatchObject({
      status: 403,
      answer: null,
    });
    expect(await ask(forge, 'linus', `POST ${engine}/issues/4/times`, { time: 60 })).toMatchObject({
      status: 403,
      answer: null,
    });
  });

  it('writing to an archived repository, but not editing an issue in it', async () => {
    const forge = await start();
    forge.world.archive({ repo: 'acme/engine' });
    expect(await ask(forge, 'grace', `POST ${engine}/issues/4/comments`, { body: 'x' })).toMatchObject({
      status: 423,
      answer: usual('repo is archived'),
    });
    expect((await ask(forge, 'ada', `POST ${engine}/projects`, { title: 'x' })).status).toBe(423);
    expect((await ask(forge, 'grace', `PATCH ${engine}/issues/4`, { title: 'still' })).status).toBe(201);
  });

  it('caller mistakes with a silent 500', async () => {
    const forge = await start();
    const silent = { status: 500, answer: usual('') };
    const block = { owner: 'acme', repo: 'engine', index: 2 };
    expect(await ask(forge, 'grace', `POST ${engine}/issues/999/comments`, { body: 'x' })).toMatchObject(silent);
    expect(await ask(forge, 'grace', `PATCH ${engine}/issues/4`, { assignees: ['nobody'] })).toMatchObject(silent);
    expect(await ask(forge, 'grace', `PATCH ${engine}/issues/4`, { milestone: 999 })).toMatchObject(silent);
    expect((await ask(forge, 'grace', `POST ${engine}/issues/4/blocks`, block)).status).toBe(201);
    expect(await ask(forge, 'grace', `POST ${engine}/issues/4/blocks`, block)).toMatchObject(silent);
    expect(await ask(forge, 'grace', `POST ${engine}/issues/2/blocks`, { ...block, index: 4 })).toMatchObject(silent);
  });

  it('a body it cannot parse, naming the field', async () => {
    const forge = await start();
    const as = `x:${forge.account('grace').token()}`;
    const comments = `${forge.apiUrl}${engine}/issues/4/comments`;
    expect(await send(comments, 'POST', { as })).toMatchObject({
      status: 422,
      answer: usual('[]: Empty Content-Type'),
    });
    expect(await ask(forge, 'grace', `POST ${engine}/issues`, { body: 'x' })).toMatchObject({
      status: 422,
      answer: usual('[Title]: Required'),
    });
    expect((await ask(forge, 'grace', `POST ${engine}/issues`, { title: 7 })).status).toBe(422);
    expect(await ask(forge, 'grace', 'POST /repos/migrate', { repo_name: 'x' })).toMatchObject({
      answer: usual('[CloneAddr]: Required'),
    });
  });

  it('an unknown address, in plain text', async () => {
    const forge = await start();
    expect(await ask(forge, 'ada', 'GET /no/such/thing')).toMatchObject({
      status: 404,
      answer: { __raw: '404 page not found\n' },
    });
    expect(await ask(forge, 'ada', 'GET /repos/acme/nothing')).toMatchObject({
      status: 404,
      answer: usual('not found'),
    });
  });

  it('merging a draft, a conflict, a moved head and for readers', async () => {
    const forge = await start();
    const merge = (login: string, index: number, more: object = {}) =>
      ask(forge, login, `POST ${engine}/pulls/${index}/merge`, { Do: 'merge', ...more });
    expect((await merge('ada', 5)).status).toBe(405);
    expect((await merge('margaret', 8)).status).toBe(405);
    expect((await merge('ada', 8, { head_commit_id: 'f'.repeat(40) })).status).toBe(409);
    forge.world.setConflicts({ repo: 'acme/engine', index: 8, conflicts: true });
    expect((await merge('ada', 8)).status).toBe(405);
    forge.world.setConflicts({ repo: 'acme/engine', index: 8, conflicts: false });
    expect(await merge('ada', 8)).toMatchObject({ status: 200, answer: null });
  });

  it('review requests by just a site admin, to the author and of nobody', async () => {
    const forge = await start();
    forge.world.createUser({ login: 'root', admin: true });
    const request = (login: string, index: number, reviewer: string) =>
      ask(forge, login, `POST ${engine}/pulls/${index}/requested_reviewers`, { reviewers: [reviewer] });
    expect((await request('root', 8, 'ada')).status).toBe(422);
    expect((await request('grace', 8, 'grace')).status).toBe(422);
    expect((await request('grace', 8, 'nobody')).status).toBe(404);
    expect((await request('grace', 3, 'ada')).status).toBe(201);
    expect((await request('grace', 8, 'ada@example.org')).answer).toMatchObject([
      { state: 'REQUEST_REVIEW', user: { login: 'ada' } },
    ]);
    expect((await request('grace', 8, 'ada')).answer).toEqual([]);
  });

  it('moved repositories, by saying where they went', async () => {
    const forge = await start({ subPath: '/git' });
    forge.world.renameRepo({ as: 'ada', repo: 'acme/engine', name: 'motor' });
    const gone = await ask(forge, 'ada', 'GET /repos/acme/engine/issues/4?x=1');
    expect(gone).toMatchObject({ status: 301, headers: { location: '/git/api/v1/repos/acme/motor/issues/4?x=1' } });
    expect((await ask(forge, 'ada', 'POST /repos/acme/engine/issues/4/comments', { body: 'x' })).status).toBe(301);
    forge.world.renameUser({ login: 'acme', to: 'apex' });
    const owner = await ask(forge, 'ada', 'GET /repos/acme/motor');
    expect(owner).toMatchObject({ status: 307, headers: { location: '/git/api/v1/repos/apex/motor' } });
  });
});
