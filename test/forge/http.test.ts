import { afterEach, describe, expect, it } from 'vitest';
import { answering, closePlayed, forgeAt, issue, json, play, text, token, user } from './support/server.js';

afterEach(closePlayed);

const at = { owner: 'ada', repo: 'engine', index: 12 };

describe('a request', () => {
  it('carries a token as the password of Basic', async () => {
    const server = await play(answering((_, response) => json(response, 200, user)));
    await forgeAt(server.url).as(token).users.me();
    expect(server.seen[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from(`token:${token.token}`).toString('base64')}`,
    );
  });

  it('carries a login and its password as Basic', async () => {
    const server = await play(answering((_, response) => json(response, 200, user)));
    await forgeAt(server.url).as({ kind: 'basic', login: 'ada', secret: 'pä:ss' }).users.me();
    expect(server.seen[0]?.headers.authorization).toBe(`Basic ${Buffer.from('ada:pä:ss').toString('base64')}`);
  });

  it('carries nothing for an anonymous person', async () => {
    const server = await play(answering((_, response) => json(response, 200, { version: '1.26.0' })));
    await forgeAt(server.url).as({ kind: 'anonymous' }).server.version();
    expect(server.seen[0]?.headers).not.toHaveProperty('authorization');
  });

  it.each(['/api/v1', '/git', '/git/api/v1/', '/'])('goes below the given address: %s', async (suffix) => {
    const server = await play(answering((_, response) => json(response, 200, user)));
    await forgeAt(server.url + suffix)
      .as(token)
      .users.me();
    expect(server.seen[0]?.path).toBe(`${suffix.includes('git') ? '/git' : ''}/api/v1/user`);
  });

  it('writes lists as repeated names and times as RFC 3339', async () => {
    const server = await play(answering((_, response) => json(response, 200, [])));
    const since = new Date('2026-08-22T21:32:59Z');
    await forgeAt(server.url)
      .as(token)
      .notifications.list({ query: { 'status-types': ['unread', 'pinned'], since } });
    const { searchParams } = new URL(server.seen[0]?.path ?? '', server.url);
    expect(searchParams.getAll('status-types')).toEqual(['unread', 'pinned']);
    expect(searchParams.get('since')).toBe('2026-08-22T21:32:59.000Z');
  });

  it('sends a body with DELETE', async () => {
    const server = await play(answering((_, response) => json(response, 201, issue(12))));
    await forgeAt(server.url)
      .as(token)
      .issues.unblock({ ...at, body: { owner: 'ada', repo: 'engine', index: 7 } });
    expect(server.seen[0]).toMatchObject({ method: 'DELETE', body: '{"index":7,"owner":"ada","repo":"engine"}' });
    expect(server.seen[0]?.headers['content-type']).toBe('application/json');
  });
});

describe('an answer', () => {
  it('is read with offsets, and unset times and nulls become undefined', async () => {
    const sent = { ...issue(12), closed_at: '1970-01-01T01:00:00+01:00', due_date: '0001-01-01T00:00:00Z' };
    const server = await play(answering((_, response) => json(response, 201, sent)));
    const edited = await forgeAt(server.url)
      .as(token)
      .issues.edit({ ...at, body: { title: 'new' } });
    expect(edited.updated_at).toEqual(new Date('2026-08-22T21:32:59Z'));
    expect(edited).toMatchObject({ number: 12, assignees: [], closed_at: undefined, due_date: undefined });
  });

  it('of 205 has a body, and it is read', async () => {
    const thread = {
      id: 4,
      unread: false,
      pinned: false,
      updated_at: '2026-08-22T21:32:59Z',
      repository: null,
      subject: null,
    };
    const server = await play(answering((_, response) => json(response, 205, thread)));
    const marked = await forgeAt(server.url).as(token).notifications.markThread({ id: 4 });
    expect(marked?.id).toBe(4);
  });

  it('of 205 may lose its body on the way', async () => {
    const server = await play(answering((_, response) => response.writeHead(205).end()));
    expect(await forgeAt(server.url).as(token).notifications.markThread({ id: 4 })).toBeUndefined();
  });

  it('of 204 is empty', async () => {
    const server = await play(answering((_, response) => response.writeHead(204).end()));
    expect(await forgeAt(server.url).as(token).admin.runCron({ task: 'git_gc_repos' })).toBeUndefined();
  });

  it('with an id beyond 2^53 is refused and the path named', async () => {
    const body = JSON.stringify(issue(12)).replace('"id":1012', '"id":9007199254740993');
    const server = await play(answering((_, response) => text(response, 200, body, 'application/json')));
    await expect(forgeAt(server.url).as(token).issues.get(at)).rejects.toMatchObject({
      hint: expect.stringContaining('answer.id'),
    });
  });

  it('that is too large is not read to its end', async () => {
    const server = await play(
      answering((_, response) => text(response, 200, JSON.stringify('x'.repeat(5000)), 'application/json')),
    );
    const forge = forgeAt(server.url, { maxBodyBytes: 4000 });
    await expect(forge.as(token).users.me()).rejects.toMatchObject({
      kind: 'unavailable',
      hint: expect.stringContaining('too large'),
    });
  });
});

describe('a redirect', () => {
  it.each([301, 302, 307, 308])('of %i keeps method, body and credential', async (status) => {
    const server = await play(
      answering((request, response) => {
        if (request.path.includes('/ada/old/'))
          response.writeHead(status, { location: '/api/v1/repos/ada/engine/issues/12' }).end();
        else json(response, 201, issue(12));
      }),
    );
    await forgeAt(server.url)
      .as(token)
      .issues.edit({ ...at, repo: 'old', body: { state: 'closed' } });
    expect(server.seen[1]).toMatchObject({
      method: 'PATCH',
      path: '/api/v1/repos/ada/engine/issues/12',
      body: '{"state":"closed"}',
    });
    expect(server.seen[1]?.headers.authorization).toBe(server.seen[0]?.headers.authorization);
  });

  it('may name the same host in full', async () => {
    const server = await play(
      answering((request, response) => {
        if (request.path.endsWith('/moved')) json(response, 200, issue(12));
        else response.writeHead(307, { location: `http://${request.headers.host}/api/v1/moved` }).end();
      }),
    );
    expect((await forgeAt(server.url).as(token).issues.get(at)).number).toBe(12);
  });

  it('to another host is refused, and that host gets nothing', async () => {
    const other = await play(answering((_, response) => json(response, 200, issue(12))));
    const server = await play(
      answering((_, response) => response.writeHead(301, { location: `${other.url}/api/v1/x` }).end()),
    );
    const call = forgeAt(server.url).as(token).issues.get(at);
    await expect(call).rejects.toMatchObject({
      kind: 'unavailable',
      hint: expect.stringContaining(`FORGE_URL to that address. (${other.url})`),
    });
    expect(other.seen).toEqual([]);
  });

  it('out of the forge to another application on the host is refused', async () => {
    const server = await play(
      answering((_, response) => response.writeHead(301, { location: '/wiki/api/v1/x' }).end()),
    );
    await expect(forgeAt(`${server.url}/git`).as(token).issues.get(at)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(server.seen).toHaveLength(1);
  });

  it('in a loop ends', async () => {
    const server = await play(
      answering((request, response) => response.writeHead(301, { location: request.path }).end()),
    );
    await expect(forgeAt(server.url).as(token).issues.get(at)).rejects.toMatchObject({ code: 'too many redirects' });
    expect(server.seen).toHaveLength(6);
  });

  it('of 303 after a write is not turned into a read', async () => {
    const server = await play(
      answering((_, response) => response.writeHead(303, { location: '/api/v1/elsewhere' }).end()),
    );
    const call = forgeAt(server.url)
      .as(token)
      .issues.edit({ ...at, body: {} });
    await expect(call).rejects.toMatchObject({ kind: 'unavailable', status: 303 });
    expect(server.seen).toHaveLength(1);
  });
});
