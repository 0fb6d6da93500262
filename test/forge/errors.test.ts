import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { type Api, ApiError, mayHaveHappened } from '../../src/forge/index.js';
import { answering, closePlayed, forgeAt, issue, json, play, text, token } from './support/server.js';

afterEach(closePlayed);

const at = { owner: 'ada', repo: 'engine', index: 12 };
const edit = (api: Api): Promise<unknown> => api.issues.edit({ ...at, body: { state: 'closed' } });

async function failure(reply: (response: ServerResponse) => void, call = edit): Promise<ApiError> {
  const server = await play(answering((_, response) => reply(response)));
  const caught = await call(forgeAt(server.url, { retry: { attempts: 1 } }).as(token)).catch((error: unknown) => error);
  if (caught instanceof ApiError) return caught;
  throw new Error('it did not fail', { cause: caught });
}

describe('a refusal', () => {
  it.each([
    [400, 'invalid'],
    [403, 'forbidden'],
    [404, 'notFound'],
    [405, 'rejected'],
    [409, 'conflict'],
    [412, 'blocked'],
    [413, 'invalid'],
    [422, 'invalid'],
    [423, 'archived'],
    [429, 'unavailable'],
    [502, 'unavailable'],
    [503, 'unavailable'],
    [504, 'timeout'],
  ])('of %i is %s, with the server’s message', async (status, kind) => {
    const error = await failure((response) =>
      json(response, status, { message: 'because', url: 'http://forge/api/swagger' }),
    );
    expect(error).toMatchObject({ kind, status, operation: 'issues.edit', serverMessage: 'because', neverSent: false });
  });

  it('of 401 loses its message: some servers repeat the token in it', async () => {
    const message = 'token is malformed\naccess token does not exist [sha: 0123456789abcdef]\ntask with token "x"';
    const error = await failure((response) => json(response, 401, { message }));
    expect(error).toMatchObject({ kind: 'unauthorized', status: 401, serverMessage: '' });
    expect(JSON.stringify(error)).not.toContain('0123456789abcdef');
  });

  it.each([403, 404, 409])('of %i may have no message', async (status) => {
    const error = await failure((response) => response.writeHead(status).end());
    expect(error).toMatchObject({ status, serverMessage: '' });
  });

  it.each([
    ['an object with an error', '{"ok":false,"error":"bad sort"}', 'bad sort'],
    ['a bare string', '"cross repository dependencies are off"', 'cross repository dependencies are off'],
    ['a list of errors', '{"errors":["one","two"]}', 'one; two'],
    ['an empty message beside null errors', '{"message":"","errors":null}', ''],
    ['plain text', 'go away\n', 'go away'],
    ['a web page', '<!DOCTYPE html><html><title>Not here</title><body>x</body></html>', 'Not here'],
    ['an object that is cut off', '{"message":"half', ''],
    ['several lines', '{"message":"one\\n\\ttwo\\u0000"}', 'one two'],
  ])('is read from %s', async (_, body, words) => {
    const error = await failure((response) => text(response, 400, body));
    expect(error).toMatchObject({ kind: 'invalid', serverMessage: words });
  });

  it('of 405 without a message means that the server lacks the operation', async () => {
    const error = await failure((response) => text(response, 405, ''));
    expect(error).toMatchObject({ unsupported: true, kind: 'notFound', serverMessage: '' });
    expect(mayHaveHappened(error)).toBe(false);
  });

  it.each([
    ['an empty body', '', undefined],
    ['a page', '<!DOCTYPE html><html><head><title>Forbidden</title></head></html>', 'web page'],
  ])('of 403 with %s stays a refusal', async (_what, body, hint) => {
    const error = await failure((response) => text(response, 403, body));
    expect(error).toMatchObject({ kind: 'forbidden', status: 403, unsupported: false });
    expect(error.hint ?? '').toContain(hint ?? '');
    expect(error.serverMessage).not.toContain('<');
  });

  it('of 404 in plain text is a missing item, unless the router says it', async () => {
    const gone = await failure((response) => text(response, 404, 'no such run'));
    expect(gone).toMatchObject({ kind: 'notFound', unsupported: false, serverMessage: 'no such run' });
    expect(await failure((response) => text(response, 404, '404 page not found\n'))).toMatchObject({
      unsupported: true,
    });
  });

  it('shortens long messages', async () => {
    const error = await failure((response) => text(response, 400, 'x'.repeat(10_000)));
    expect(error.serverMessage).toHaveLength(300);
  });

  it.each([
    [
      'exists',
      (api: Api) => api.repos.migrate({ body: { clone_addr: 'https://old.example.org/x.git', repo_name: 'x' } }),
    ],
    ['empty', (api: Api) => api.repos.listCommits({ owner: 'ada', repo: 'engine' })],
    ['conflict', (api: Api) => api.runs.forceCancel({ owner: 'ada', repo: 'engine', run: 5 })],
  ] as const)('of 409 means %s if the operation says so', async (kind, call) => {
    const error = await failure((response) => json(response, 409, { message: '' }), call);
    expect(error.kind).toBe(kind);
  });

  it.each([
    ['Check the number', (api: Api) => api.issues.comment({ ...at, body: { body: 'x' } })],
    ['Check the assignees', edit],
    [
      'already block each other',
      (api: Api) => api.issues.block({ ...at, body: { owner: 'ada', repo: 'engine', index: 3 } }),
    ],
    [
      'may not be blocking',
      (api: Api) => api.issues.unblock({ ...at, body: { owner: 'ada', repo: 'engine', index: 3 } }),
    ],
    ['Check the person', (api: Api) => api.runs.list({ owner: 'ada', repo: 'engine', query: { actor: 'nobody' } })],
    ['Check the person', (api: Api) => api.admin.listRuns({ query: { actor: 'nobody' } })],
    ['Check the milestone', (api: Api) => api.pulls.edit({ ...at, body: { milestone: 99 } })],
    ['someone else', (api: Api) => api.notifications.markThread({ id: 4 })],
    [
      'git 2.42',
      (api: Api) => api.repos.createInOrg({ org: 'acme', body: { name: 'x', object_format_name: 'sha256' } }),
    ],
  ] as const)('of 500 without a message says what may be wrong: %s', async (words, call) => {
    const error = await failure((response) => json(response, 500, { message: '', url: '' }), call);
    expect(error).toMatchObject({ kind: 'rejected', status: 500, hint: expect.stringContaining(words) });
  });

  it('of 500 elsewhere is a server error', async () => {
    const error = await failure(
      (response) => json(response, 500, { message: '' }),
      (api) => api.users.me(),
    );
    expect(error).toMatchObject({ kind: 'unavailable', status: 500 });
  });

  it('says when to retry', async () => {
    const error = await failure((response) => response.writeHead(429, { 'retry-after': '17' }).end());
    expect(error.retryAfter).toBe(17);
  });
});

describe('an answer that cannot be used', () => {
  it.each([
    ['a web page', '<html><title>Welcome</title></html>', 'check the forge address'],
    ['cut-off JSON', JSON.stringify(issue(12)).slice(0, 80), 'incomplete'],
    ['a missing field', '{"id":1}', 'answer.number'],
    ['nothing', '', 'It was done'],
  ])('is recognized: %s', async (_, body, words) => {
    const error = await failure((response) => text(response, 201, body, 'application/json'));
    expect(error).toMatchObject({ kind: 'unavailable', status: 201, hint: expect.stringContaining(words) });
  });

  it('whose body ends before its length is a broken connection', async () => {
    const error = await failure((response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"id":');
      response.destroy();
    });
    expect(error).toMatchObject({ kind: 'unavailable', neverSent: false });
  });
});

describe('an ApiError', () => {
  it('can be written as JSON', async () => {
    const error = await failure((response) => json(response, 423, { message: 'repo is archived' }));
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({
      kind: 'archived',
      operation: 'issues.edit',
      status: 423,
    });
    expect(error.message).toBe(
      'issues.edit: archived (423). repo is archived. The repository is archived. Unarchive it to make changes.',
    );
  });
});
