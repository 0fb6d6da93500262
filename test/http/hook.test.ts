import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { mountHook } from '../../src/http/hook.js';
import { type Served, serve } from '../../src/http/server.js';
import { flood } from '../support/flood.js';

const secret = 'sixteen characters';
const log = pino({ level: 'silent' });
const woken: unknown[] = [];
const checks: unknown[] = [];
const withItem: unknown[] = [];
const requests: unknown[] = [];
let http: Served;

beforeAll(async () => {
  http = await serve({
    host: '127.0.0.1',
    port: 0,
    log,
    routes: (app) =>
      mountHook(app, {
        secret,
        log,
        wake: async (repoId, { ownerId, people, checked, hasItem, isRequest }) => {
          requests.push(isRequest);
          woken.push([repoId, ownerId, people]);
          checks.push(checked);
          withItem.push(hasItem);
        },
      }),
  });
});
afterAll(() => http.stop());
beforeEach(() => {
  woken.length = 0;
  checks.length = 0;
  withItem.length = 0;
  requests.length = 0;
});

const sign = (body: string, key = secret) => createHmac('sha256', key).update(body).digest('hex');

async function send(body: string, signature: string | undefined, header = 'x-gitea-signature'): Promise<number> {
  const headers = signature === undefined ? {} : { [header]: signature };
  const answer = await fetch(`${http.address}/hooks/forge`, { method: 'POST', body, headers });
  await answer.text();
  return answer.status;
}

const push = JSON.stringify({ ref: 'refs/heads/main', repository: { id: 7, owner: { id: 3 } } });

describe('POST /hooks/forge', () => {
  it('wakes the repository named in a signed hook', async () => {
    expect(await send(push, sign(push))).toBe(204);
    expect(woken).toEqual([[7, 3, []]]);
  });

  it('names the people it requests or mentions, and nobody for invalid data', async () => {
    const body = JSON.stringify({
      repository: { id: 7, owner: { id: 3 } },
      sender: { login: 'alan' },
      issue: { user: { login: 'ada' }, assignee: null, assignees: [{ login: 'grace' }, 5], body: 7 },
      pull_request: { requested_reviewers: [{ login: 'linus' }, { login: 'x'.repeat(500) }] },
      comment: { body: 'Thanks @grace. And @barbara.l, see mail@example' },
      review: 'none',
    });
    expect(await send(body, sign(body))).toBe(204);
    expect(woken).toEqual([[7, 3, ['ada', 'grace', 'linus', 'barbara.l', 'example']]]);
    const many = JSON.stringify({ repository: { id: 7 }, comment: { body: '@a'.repeat(40_000) } });
    expect(await send(many, sign(many))).toBe(204);
  });

  it('wakes the repository of a finished run, as Forgejo sends and signs it', async () => {
    const ended = JSON.stringify({ action: 'failure', run: { id: 5, repository: { id: 8, owner: { id: 7 } } } });
    expect(await send(ended, sign(ended), 'x-forgejo-signature')).toBe(204);
    expect(woken).toEqual([[8, 7, []]]);
    expect(await send(ended, sign('{}'), 'x-forgejo-signature')).toBe(401);
  });

  const sha = 'a1'.repeat(20);
  it.each([
    ['a status', { sha, state: 'failure', context: 'ci' }, sha],
    ['a run', { action: 'completed', workflow_run: { id: 5, head_sha: sha } }, sha],
    ['a run that ended on Forgejo', { action: 'failure', run: { id: 5, commit_sha: sha } }, sha],
    ['a push', { after: sha }, undefined],
    ['odd data', { sha: '../../../user', workflow_run: 'none' }, undefined],
    ['odd data of a run', { workflow_run: { head_sha: { id: 5 } } }, undefined],
  ])('names the commit that %s is about', async (_what, about, expected) => {
    const body = JSON.stringify({ ...about, repository: { id: 7 } });
    expect(await send(body, sign(body))).toBe(204);
    expect(checks).toEqual([expected]);
  });

  it.each([
    ['a label', { action: 'label_updated', issue: { number: 1 } }, true],
    ['a draft', { action: 'edited', pull_request: { number: 1, draft: true } }, true],
    ['a push', { after: sha }, false],
  ])('says whether %s concerns an issue or pull request', async (_what, about, expected) => {
    const body = JSON.stringify({ ...about, repository: { id: 7 } });
    expect(await send(body, sign(body))).toBe(204);
    expect(withItem).toEqual([expected]);
  });

  it.each([
    ['review_requested', true],
    ['review_request_removed', true],
    ['opened', false],
    [7, false],
  ])('says whether %s is about a review request', async (action, expected) => {
    const body = JSON.stringify({ action, pull_request: { id: 9 }, repository: { id: 7 } });
    expect(await send(body, sign(body))).toBe(204);
    expect(requests).toEqual([expected]);
  });

  it('accepts a signed hook without a repository and wakes nobody', async () => {
    expect(await send('{}', sign('{}'))).toBe(204);
    expect(woken).toEqual([]);
  });

  it.each([
    ['no signature', undefined],
    ['another secret', sign(push, 'another secret of sixteen')],
    ['the signature of another body', sign('{}')],
    ['a signature that is no hash', 'sha256=abc'],
    ['an empty signature', ''],
  ])('refuses %s', async (_what, signature) => {
    expect(await send(push, signature)).toBe(401);
    expect(woken).toEqual([]);
  });

  it('refuses what is signed but not understood', async () => {
    expect(await send('not json', sign('not json'))).toBe(400);
    const odd = JSON.stringify({ repository: { id: 'seven' } });
    expect(await send(odd, sign(odd))).toBe(400);
  });

  it('takes no more than four megabytes, announced or not', async () => {
    const large = 'x'.repeat(4_000_001);
    expect(await send(large, sign(large))).toBe(413);
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(large));
        controller.close();
      },
    });
    const request = { method: 'POST', body: stream, duplex: 'half' } as const;
    const answer = await fetch(`${http.address}/hooks/forge`, request).catch(() => undefined);
    expect([413, undefined]).toContain(answer?.status);
    expect(woken).toEqual([]);
  });

  it.each(
    ['/hooks/forge', '/mcp', '/oauth/start', '/healthz', '/queues', '/nowhere'].flatMap((path) => [
      [path, { 'content-length': '100000000000' }] as const,
      [path, { 'transfer-encoding': 'chunked' }] as const,
    ]),
  )('closes the connection of an endless body, and reads no further: %s %j', async (path, headers) => {
    const { status, sent } = await flood(`${http.address}${path}`, headers);
    // closing while bytes are still arriving may hide the answer
    expect([413, 0]).toContain(status);
    expect(sent).toBeLessThan(30_000_000);
  });

  it('keeps few bytes of bodies that do not end, and takes a whole one meanwhile', async () => {
    const { hostname, port } = new URL(http.address);
    const most = 3_900_000;
    const small = connect(Number(port), hostname).on('error', () => {});
    small.write('POST /hooks/forge HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{');
    const halves = await Promise.all(
      Array.from({ length: 16 }, async () => {
        const socket = connect(Number(port), hostname).on('error', () => {});
        socket.resume().write(`POST /hooks/forge HTTP/1.1\r\nhost: a\r\ncontent-length: ${most + 1}\r\n\r\n`);
        await new Promise((resolve) => socket.write(Buffer.alloc(most), resolve));
        return socket;
      }),
    );
    onTestFinished(() => {
      for (const socket of [small, ...halves]) socket.destroy();
    });
    const open = () => halves.filter((socket) => !socket.closed).length;
    await expect.poll(open).toBeLessThanOrEqual(8);
    expect(await send(push, sign(push))).toBe(204);
    expect(open()).toBeGreaterThan(4);
    const answered = once(small, 'data');
    small.write('}');
    expect(String(await answered)).toMatch(/^HTTP\/1.1 401 /);
    for (const socket of halves) socket.destroy();
    const large = JSON.stringify({ repository: { id: 7 }, more: 'a'.repeat(3_000_000) });
    expect(await send(large, sign(large))).toBe(204);
  });

  it('closes a connection that sends more requests before it got an answer', async () => {
    const { hostname, port } = new URL(http.address);
    const socket = connect(Number(port), hostname).on('error', () => {});
    let answers = '';
    socket.on('data', (part) => {
      answers += part;
    });
    socket.write('GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(100));
    await once(socket, 'close');
    expect(answers.split('HTTP/1.1 ').length - 1).toBeLessThanOrEqual(1);
    expect(await send(push, sign(push))).toBe(204);
  });

  const unfinished = 'POST /hooks/forge HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n';

  /** Connections that send this and nothing more, once the server has taken all of them. */
  async function connected(address: string, count: number, text: string): Promise<Socket[]> {
    const { hostname, port } = new URL(address);
    const sockets: Socket[] = [];
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    // in waves: what overflows the kernel's own queue never reaches the server, and nobody ever closes it
    while (sockets.length < count) {
      const wave = Array.from({ length: Math.min(50, count - sockets.length) }, () =>
        connect(Number(port), hostname)
          .on('error', () => {})
          .resume(),
      );
      sockets.push(...wave);
      await Promise.all(wave.map((socket) => once(socket, 'connect')));
      for (const socket of wave) socket.write(text);
      // taken one at a time, in order: whoever comes after them is answered once the server has them all
      await fetch(`${address}/healthz`, { headers: { connection: 'close' } }).catch(() => {});
    }
    return sockets;
  }
  const openOf = (sockets: readonly Socket[]) => sockets.filter((socket) => !socket.closed).length;

  it('has a limit for connections: one more is closed at once, and the others stay', async () => {
    // its own: a connection kept for later requests counts as well
    const { address, stop } = await serve({ host: '127.0.0.1', port: 0, log });
    onTestFinished(stop);
    const first = await connected(address, 1_000, unfinished);
    const more = await connected(address, 50, unfinished);
    await expect.poll(() => openOf(more)).toBe(0);
    expect(openOf(first)).toBe(1_000);
    for (const socket of first) socket.destroy();
    await expect.poll(() => fetch(`${address}/healthz`).then(({ status }) => status, String)).toBe(200);
  });

  it('closes connections that send nothing, and no others', async () => {
    const silent = await connected(http.address, 20, '');
    const slow = await connected(http.address, 1, unfinished);
    await expect.poll(() => openOf(silent), { timeout: 20_000 }).toBe(0);
    expect(openOf(slow)).toBe(1);
    expect(await send(push, sign(push))).toBe(204);
  });
});
