import { afterEach, describe, expect, it } from 'vitest';
import { answering, closePlayed, forgeAt, issue, json, play, text, token } from './support/server.js';

afterEach(closePlayed);

const run = { owner: 'ada', repo: 'engine', run: 5 };
const at = { owner: 'ada', repo: 'engine', index: 12 };

/** The names of path parameters differ between servers. */
const described = {
  swagger: '2.0',
  paths: { '/repos/{owner}/{repo}/issues/{number}': { get: {}, patch: {} }, '/version': { get: {} } },
};

describe('what a server can do', () => {
  it('is read once from its API document', async () => {
    const server = await play((request, response) => {
      if (request.path === '/git/swagger.v1.json') json(response, 200, described);
      else answering((_, answer) => json(answer, 200, issue(12)))(request, response);
    });
    const forge = forgeAt(`${server.url}/git`);
    await forge.as(token).issues.get(at);
    await forge.as(token).issues.get(at);
    expect(await forge.capabilities.has('issues.get')).toBe(true);
    expect(await forge.capabilities.has('runs.forceCancel')).toBe(false);
    expect(server.asked.filter(({ path }) => path.endsWith('/swagger.v1.json'))).toHaveLength(1);
    expect(server.asked[0]?.headers).not.toHaveProperty('authorization');
  });

  it('refuses what the server lacks before it is sent, and names the version that has it', async () => {
    const server = await play((request, response) => {
      if (request.path.endsWith('/swagger.v1.json')) json(response, 200, described);
    });
    await expect(forgeAt(server.url).as(token).runs.forceCancel(run)).rejects.toMatchObject({
      kind: 'notFound',
      unsupported: true,
      neverSent: true,
      hint: 'The server runs Gitea; it needs Gitea 1.28 or later.',
    });
    expect(server.seen.filter(({ path }) => !path.endsWith('/version'))).toEqual([]);
  });

  it('is read again after an hour, since the server may have been upgraded', async () => {
    let clock = 1_000_000;
    let routes: object = described;
    const server = await play((request, response) => {
      if (request.path.endsWith('/swagger.v1.json')) json(response, 200, routes);
    });
    const forge = forgeAt(server.url, { now: () => clock });
    expect(await forge.capabilities.has('runs.forceCancel')).toBe(false);
    routes = { paths: { '/repos/{owner}/{repo}/actions/runs/{run}/force-cancel': { post: {} } } };
    expect(await forge.capabilities.has('runs.forceCancel')).toBe(false);
    clock += 3_600_001;
    expect(await forge.capabilities.has('runs.forceCancel')).toBe(true);
  });

  it.each([
    ['is turned off', 404, '404 page not found\n'],
    ['is a sign-in page', 200, '<!DOCTYPE html><title>Sign in</title>'],
    ['describes nothing', 200, '{"paths":{}}'],
  ])('is learned from the first answer if the document %s', async (_, status, body) => {
    const server = await play((request, response) => {
      if (request.path.endsWith('/swagger.v1.json')) text(response, status, body);
      else if (request.path.includes('/api/v1/')) text(response, 404, '404 page not found\n');
    });
    const forge = forgeAt(server.url);
    expect(await forge.capabilities.has('runs.forceCancel')).toBe(true);
    await expect(forge.as(token).runs.forceCancel(run)).rejects.toMatchObject({ status: 404, unsupported: true });
    await expect(forge.as(token).runs.forceCancel(run)).rejects.toMatchObject({ neverSent: true, unsupported: true });
    expect(await forge.capabilities.has('runs.forceCancel')).toBe(false);
    expect(server.seen.filter(({ path }) => !path.endsWith('/version'))).toHaveLength(1);
  });

  it('is learned from a path that only has other methods', async () => {
    const server = await play((request, response) => {
      if (request.path.includes('/api/v1/')) response.writeHead(405).end();
      else text(response, 404, '404 page not found\n');
    });
    const forge = forgeAt(server.url);
    await expect(forge.as(token).runs.forceCancel(run)).rejects.toMatchObject({ status: 405, unsupported: true });
    expect(await forge.capabilities.has('runs.forceCancel')).toBe(false);
  });

  it('is not confused with a missing item', async () => {
    const server = await play(answering((_, response) => json(response, 404, { message: 'not found', errors: null })));
    const forge = forgeAt(server.url);
    await expect(forge.as(token).runs.forceCancel(run)).rejects.toMatchObject({ kind: 'notFound', unsupported: false });
    expect(await forge.capabilities.has('runs.forceCancel')).toBe(true);
  });

  it('includes its version, only for messages', async () => {
    const server = await play(answering((_, response) => json(response, 200, { version: '1.26.0' })));
    expect(await forgeAt(server.url).capabilities.version()).toBe('1.26.0');
  });

  it('stays unknown while the server is down', async () => {
    const server = await play((_, response) => void response.destroy());
    const forge = forgeAt(server.url);
    expect(await forge.capabilities.has('issues.get')).toBe(true);
    expect(await forge.capabilities.version()).toBeUndefined();
  });
});
