import { readFileSync } from 'node:fs';
import { createServer as createProxy } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer, connect as dial, type Socket } from 'node:net';
import { afterAll, afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { answering, closePlayed, forgeAt, issue, json, play, token, user } from './support/server.js';

const at = { owner: 'ada', repo: 'engine', index: 12 };
const once = { ...at, body: { body: 'hello' } };

describe.concurrent('a forge that does not answer', () => {
  afterAll(closePlayed);

  it('times out if the headers do not arrive', async () => {
    const server = await play(answering(() => undefined));
    const forge = forgeAt(server.url, { timeouts: { headers: 100 } });
    await expect(forge.as(token).issues.get(at)).rejects.toMatchObject({
      kind: 'timeout',
      code: 'headers',
      neverSent: false,
    });
    expect(server.seen).toHaveLength(1);
  });

  it('times out if the body trickles', async () => {
    const server = await play(
      answering((_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const drip = setInterval(() => response.write(' '), 10);
        response.on('close', () => clearInterval(drip));
      }),
    );
    const forge = forgeAt(server.url, { timeouts: { body: 150 } });
    await expect(forge.as(token).issues.get(at)).rejects.toMatchObject({ kind: 'timeout', code: 'body' });
  });

  it('times out if the connection is not made', async ({ onTestFinished }) => {
    // accepts the connection and never completes the handshake
    const silent = createServer().listen(0, '127.0.0.1');
    await new Promise((done) => silent.once('listening', done));
    onTestFinished(() => void silent.close());
    const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const forge = forgeAt(url, { timeouts: { connect: 100 }, retry: { attempts: 1 } });
    await expect(forge.as(token).issues.get(at)).rejects.toMatchObject({
      kind: 'timeout',
      code: 'connect',
      neverSent: true,
    });
  });
});

describe('a forge that is gone', () => {
  afterEach(closePlayed);

  it('says so if nothing listens, and that nothing was sent', async () => {
    const forge = forgeAt(await unusedAddress());
    await expect(forge.as(token).issues.comment(once)).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'ECONNREFUSED',
      neverSent: true,
    });
  });

  it('leaves the outcome open if the connection breaks after sending', async () => {
    const server = await play(answering((_, response) => response.destroy()));
    const call = forgeAt(server.url).as(token).issues.comment(once);
    await expect(call).rejects.toMatchObject({ kind: 'unavailable', neverSent: false });
    expect(server.seen).toHaveLength(1);
  });
});

describe('an abort signal', () => {
  afterEach(closePlayed);

  it('stops a call in progress', async () => {
    const stop = new AbortController();
    const server = await play(answering(() => stop.abort()));
    const call = forgeAt(server.url).as(token).issues.get(at, { signal: stop.signal });
    await expect(call).rejects.toMatchObject({ kind: 'timeout', code: 'aborted', neverSent: false });
    expect(server.seen).toHaveLength(1);
  });

  it('aborted beforehand sends nothing', async () => {
    const server = await play(answering((_, response) => json(response, 200, user)));
    const call = forgeAt(server.url).as(token).issues.comment(once, { signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ code: 'aborted', neverSent: true });
    expect(server.seen).toEqual([]);
  });
});

describe('requests in flight', () => {
  afterEach(closePlayed);

  it('never exceed the limit', async () => {
    const open: (() => void)[] = [];
    let most = 0;
    const server = await play(
      answering((_, response) => {
        open.push(() => json(response, 200, issue(12)));
        most = Math.max(most, open.length);
        if (open.length === 3) for (const answer of open.splice(0)) answer();
      }),
    );
    const api = forgeAt(server.url, { maxInFlight: 3 }).as(token);
    await Promise.all(Array.from({ length: 12 }, () => api.issues.get(at)));
    expect(most).toBe(3);
  });
});

describe('an https forge', () => {
  afterEach(closePlayed);

  it('is trusted by the given authority, and by no other', async () => {
    const url = await secureForge();
    const ca = readFileSync(new URL('./support/tls/authority.pem', import.meta.url), 'utf8');
    await expect(forgeAt(url, { ca }).as(token).users.me()).resolves.toMatchObject({ login: 'ada' });
    await expect(forgeAt(url).as(token).users.me()).rejects.toMatchObject({
      neverSent: true,
      hint: expect.stringContaining('FORGE_CA_FILE'),
    });
  });

  it('is reached through the given proxy', async () => {
    const url = await secureForge();
    const ca = readFileSync(new URL('./support/tls/authority.pem', import.meta.url), 'utf8');
    const proxy = await tunnel();
    await forgeAt(url, { ca, proxy: proxy.url }).as(token).users.me();
    expect(proxy.asked).toContain(new URL(url).host);
  });

  it('says so if the proxy refuses', async () => {
    const proxy = createProxy().on('connect', (_, socket) => void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
    const url = await listening(proxy);
    const forge = forgeAt('http://forge.example.org', { proxy: url, retry: { attempts: 1 } });
    await expect(forge.as(token).users.me()).rejects.toMatchObject({ kind: 'unavailable', neverSent: true });
  });
});

async function unusedAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return `http://127.0.0.1:${port}`;
}

async function listening(server: ReturnType<typeof createProxy> | ReturnType<typeof createSecure>): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function secureForge(): Promise<string> {
  const file = (name: string) => readFileSync(new URL(`./support/tls/${name}`, import.meta.url));
  const server = createSecure({ key: file('server.key'), cert: file('server.pem') }, (request, response) => {
    if (request.url === '/api/v1/user') json(response, 200, user);
    else response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
  });
  return (await listening(server)).replace('http:', 'https:');
}

async function tunnel(): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const sockets: Socket[] = [];
  const proxy = createProxy().on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const onward = dial(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
    sockets.push(onward);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { url: await listening(proxy), asked };
}
