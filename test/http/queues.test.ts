import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mountQueues } from '../../src/http/queues.js';
import { type Served, serve } from '../../src/http/server.js';
import { createQueue } from '../../src/jobs/queues.js';
import { type Fresh, freshRedis } from '../support/redis.js';

const password = 'a long enough password';
const logged: string[] = [];
const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) });
let clock = 0;
let redis: Fresh;
let http: Served;
let queue: ReturnType<typeof createQueue>;

beforeAll(async () => {
  redis = await freshRedis();
  queue = createQueue('act', { connection: redis.redis, forgeId: 'f0' });
  await queue.add('command', {
    command: 'signin',
    args: { token: { sealed: 'k1.abc' } },
    answer: { responseUrl: 'https://hooks.slack.test/secret-address' },
  });
  http = await serve({
    host: '127.0.0.1',
    port: 0,
    log,
    routes: (app) => mountQueues(app, { queues: [queue], password, log, now: () => clock }),
  });
});
afterAll(async () => {
  await http.stop();
  await queue.close();
  await redis.close();
});

const basic = (secret: string, name = 'ops') => ({
  authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
});
const get = (path: string, headers: Record<string, string> = {}) => fetch(`${http.address}${path}`, { headers });

describe('/queues', () => {
  it.each(['/queues', '/queues/', '/queues/api/queues', '/queues/static/', '/queues//api/queues'])(
    'shows nothing at %s without the password',
    async (path) => {
      for (const headers of [{}, basic('wrong'), basic(''), { authorization: 'Bearer x' }]) {
        clock += 3_600_000;
        const answer = await get(path, headers);
        expect(await answer.text()).not.toContain('signin');
        expect([401, 404]).toContain(answer.status);
      }
    },
  );

  it('shows the board and its parts to anyone with the password, under any name', async () => {
    const page = await get('/queues', basic(password));
    const html = await page.text();
    expect(page.status).toBe(200);
    const [, script] = /src="([^"]+\.js)"/.exec(html) ?? [];
    expect(script).toBeDefined();
    const asset = await get(new URL(script ?? '', `${http.address}/queues/`).pathname, basic(password, 'anybody'));
    expect(asset.status).toBe(200);
    await asset.arrayBuffer();
  });

  it('contacts no other host', async () => {
    const page = await get('/queues', basic(password));
    expect(await page.text()).not.toMatch(/(?:href|src)="https?:/);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
  });

  it('slows down password guessing, and logs it', async () => {
    clock += 3_600_000;
    logged.length = 0;
    for (let tries = 0; tries < 3; tries++) expect((await get('/queues', basic(`guess ${tries}`))).status).toBe(401);
    // not even the right one is compared now
    expect((await get('/queues', basic(password))).status).toBe(429);
    expect(logged).toHaveLength(3);
    expect(logged.join('')).toContain('wrong password for the queue board');
    expect(logged.join('')).not.toContain('guess');
    clock += 1_001;
    expect((await get('/queues', basic('once more'))).status).toBe(401);
    clock += 1_001;
    expect((await get('/queues', basic(password))).status).toBe(429);
    clock += 1_001;
    expect((await get('/queues', basic(password))).status).toBe(200);
  });

  it('shows the jobs without response addresses and sealed secrets', async () => {
    const answer = await get(
      '/queues/api/queues?activeQueue=act&status=waiting&page=1&jobsPerPage=10',
      basic(password),
    );
    const text = await answer.text();
    expect(text).toContain('signin');
    expect(text).not.toContain('secret-address');
    expect(text).not.toContain('k1.abc');
  });

  it('lets nobody change a queue', async () => {
    for (const path of ['/queues/api/queues/act/pause', '/queues/api/queues/act/empty']) {
      const answer = await fetch(`${http.address}${path}`, { method: 'PUT', headers: basic(password) });
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
    expect(await queue.isPaused()).toBe(false);
    expect(await queue.getWaitingCount()).toBe(1);
  });
});
