import type { SandboxForge } from '@bellows/sandbox/forge';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../src/forge/operation.js';
import { operations } from '../../../src/forge/operations/index.js';
import { ask, forges } from './ask.js';
import { send } from './replay.js';

const start = forges();
const table: readonly Operation[] = Object.values(operations).flatMap((verbs) => Object.values(verbs));

async function described(forge: SandboxForge): Promise<string[]> {
  const { answer } = await send(`${forge.url}/swagger.v1.json`, 'GET');
  const { paths } = answer as { paths: Record<string, Record<string, unknown>> }; // its own description
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((each) => `${each.toUpperCase()} ${path}`),
  );
}

describe('a forge of 1.28', () => {
  it('documents every operation of the table', async () => {
    const served = await described(await start());
    const ofGitea = table.filter(({ since }) => since !== 'none').map(({ route }) => route);
    expect(ofGitea.filter((route) => !served.includes(route))).toEqual([]);
  });

  it('says its version', async () => {
    expect((await ask(await start(), 'ada', 'GET /version')).answer).toMatchObject({
      version: expect.stringMatching(/^1\.28/),
    });
  });
});

describe('a forge of 1.26', () => {
  it('lacks what came later, in its API document and in plain text', async () => {
    const forge = await start({ flavor: 'gitea-1.26' });
    const served = await described(forge);
    const absent = table.filter(({ route }) => !served.includes(route));
    expect(absent.every(({ since }) => since === '1.27' || since === '1.28' || since === 'none')).toBe(true);
    expect(absent.filter(({ beyond }) => !beyond)).toHaveLength(7);
    const answer = await ask(forge, 'ada', 'POST /repos/acme/engine/actions/runs/1/force-cancel');
    expect(answer).toMatchObject({ status: 404, answer: { __raw: '404 page not found\n' } });
  });
});

describe('a forge without an API document', () => {
  it('serves everything and says nothing', async () => {
    const forge = await start({ flavor: 'no-swagger' });
    expect((await send(`${forge.url}/swagger.v1.json`, 'GET')).status).toBe(404);
    expect((await ask(forge, 'ada', 'GET /user/projects')).status).toBe(200);
  });
});

describe('a forge that follows the API document to the letter', () => {
  it('serves only the 42 operations', async () => {
    const forge = await start({ flavor: 'document' });
    expect(table.filter(({ beyond }) => beyond !== true)).toHaveLength(42);
    expect(await ask(forge, 'ada', 'GET /user')).toMatchObject({
      status: 404,
      answer: { __raw: '404 page not found\n' },
    });
    expect((await ask(forge, 'ada', 'GET /repos/acme/engine/commits')).status).toBe(200);
  });

  it('returns bare arrays where it says list', async () => {
    const forge = await start({ flavor: 'document' });
    for (const path of ['/admin/actions/runs', '/admin/actions/jobs', '/admin/actions/runners'] as const) {
      expect((await ask(forge, 'ada', `GET ${path}`)).answer).toBeInstanceOf(Array);
    }
    expect((await ask(forge, 'ada', 'GET /repos/acme/engine/actions/runs')).answer).toHaveProperty('workflow_runs');
  });

  it('answers 200 for success and nothing for missing or stale items', async () => {
    const forge = await start({ flavor: 'document' });
    const edit = (index: number, body: object) => ask(forge, 'grace', `PATCH /repos/acme/engine/issues/${index}`, body);
    expect((await edit(4, { title: 'x' })).status).toBe(200);
    expect(await edit(999, { title: 'x' })).toMatchObject({ status: 404, answer: null });
    expect(await edit(4, { title: 'x', content_version: 9 })).toMatchObject({ status: 409, answer: null });
    expect((await ask(forge, 'ada', 'POST /admin/cron/update_mirrors')).status).toBe(204);
    expect((await ask(forge, 'ada', 'PUT /notifications')).status).toBe(200);
  });

  it('knows only the Basic form, and users by their type', async () => {
    const forge = await start({ flavor: 'document' });
    const headers = { authorization: `token ${forge.account('ada').token()}` };
    expect((await send(`${forge.apiUrl}/admin/cron`, 'GET', { headers })).status).toBe(401);
    const feed = await ask(forge, 'ada', 'GET /users/dependabot-bot/activities/feeds?only-performed-by=true&limit=1');
    expect(feed.answer).toMatchObject([{ act_user: { type: 'Bot' } }]);
  });
});
