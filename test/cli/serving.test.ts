import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { startForge } from '@bellows/sandbox/forge';
import type { SandboxRedis } from '@bellows/sandbox/redis.js';
import { startSlack } from '@bellows/sandbox/slack';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBot } from '../../src/bot.js';
import { serving } from '../../src/cli/serving.js';
import { createMetrics } from '../../src/http/metrics.js';
import type { Served } from '../../src/http/server.js';
import { createLog } from '../../src/log.js';
import { startWorker } from '../../src/worker.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { environmentOf, environmentOn, startPart } from '../support/processes.js';
import { program } from '../support/program.js';
import { ownRedis } from '../support/redis.js';
import { wireTo } from '../support/wire.js';

const log = createLog({ level: 'silent' });
const secret = 'a webhook secret';
let bellows: Bellows;
/** It tries for ten seconds, so it starts before the other tests. */
let withoutRedis: Promise<unknown>;
beforeAll(async () => {
  bellows = await startBellows({ parts: [] });
  const config = { ...bellows.config, redisUrl: 'redis://127.0.0.1:1' };
  withoutRedis = startBot(config, log).catch((error: unknown) => error);
});
afterAll(() => bellows.close());

describe('the server of a process', () => {
  let redis: SandboxRedis;
  let http: Served;
  let stop: () => Promise<unknown>;
  beforeAll(async () => {
    redis = await ownRedis();
    const config = {
      ...bellows.config,
      redisUrl: redis.url,
      queuesPassword: 'a long enough password',
      forge: { ...bellows.config.forge, webhookSecret: secret },
    };
    const metrics = createMetrics();
    const [bot, worker] = await Promise.all([startBot(config, log, metrics), startWorker(config, log, metrics)]);
    http = await serving({ config, log, metrics, parts: [bot, worker], slack: bot.listener });
    stop = () => Promise.all([http.stop(), bot.stop(), worker.stop()]);
  });
  afterAll(async () => {
    await stop();
    await redis.close();
  });

  const get = async (path: string) => {
    const answer = await fetch(`${http.address}${path}`);
    return { status: answer.status, text: await answer.text() };
  };

  it('is healthy and ready', async () => {
    expect(await get('/healthz')).toEqual({ status: 200, text: 'ok\n' });
    expect(await get('/readyz')).toEqual({ status: 200, text: 'ready\n' });
  });

  it('serves its metrics', async () => {
    const { text } = await get('/metrics');
    expect(text).toContain('bellows_forge_calls_total');
    expect(text).toContain('process_resident_memory_bytes');
  });

  it('asks for the password before it shows the queues', async () => {
    expect((await get('/queues')).status).toBe(401);
  });

  it('takes a signed webhook of the forge', async () => {
    const body = JSON.stringify({ repository: { id: 1, owner: { id: 1 } } });
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    const headers = { 'x-gitea-signature': signature };
    const answer = await fetch(`${http.address}/hooks/forge`, { method: 'POST', body, headers });
    expect(answer.status).toBe(204);
  });

  it('has no other page', async () => {
    for (const path of ['/', '/slack/events', '/hooks', '/queue']) expect((await get(path)).status).toBe(404);
  });

  it('is not ready without its connection to Slack, and is ready again when it is back', async () => {
    bellows.slack.socket.drop();
    await expect.poll(() => get('/readyz')).toEqual({ status: 503, text: 'not ready: not connected to Slack\n' });
    await expect.poll(async () => (await get('/readyz')).status).toBe(200);
  });
});

describe.concurrent('a bot whose FORGE_TOKEN is refused', () => {
  it('says so at once, and is not ready until it works', async ({ expect }) => {
    const forge = await startForge();
    const token = forge.account('bellows-bot').token();
    const config = {
      ...bellows.config,
      forge: { ...bellows.config.forge, url: forge.url, token },
      namespace: 'refused',
    };
    const logged: string[] = [];
    const hearing = createLog({ level: 'error', destination: { write: (line) => void logged.push(line) } });
    const metrics = createMetrics();
    forge.faults.add({ on: 'GET /user', times: 1_000, trouble: { status: 401 } });
    const bot = await startBot(config, hearing, metrics);
    const http = await serving({ config, log, metrics, parts: [bot] });
    const readiness = async () => (await fetch(`${http.address}/readyz`)).text();
    expect(await readiness()).toBe('not ready: the forge refuses FORGE_TOKEN\n');
    expect(logged.join('')).toContain('the forge refuses FORGE_TOKEN');
    forge.faults.clear();
    await expect.poll(readiness).toBe('ready\n');
    await Promise.all([http.stop(), bot.stop()]);
    await forge.close();
  });
});

describe.concurrent('a bot on a Redis that cannot store anything', () => {
  it('is not ready while Redis is full, read-only or empty, and says which', async ({ expect }) => {
    const redis = await ownRedis();
    const config = { ...bellows.config, redisUrl: redis.url };
    const metrics = createMetrics();
    const bot = await startBot(config, log, metrics);
    const http = await serving({ config, log, metrics, parts: [bot] });
    const readiness = async () => (await fetch(`${http.address}/readyz`)).text();
    const admin = new Redis(redis.url);
    expect(await readiness()).toBe('ready\n');
    await admin.config('SET', 'maxmemory', '1');
    expect(await readiness()).toBe('not ready: Redis is full: raise maxmemory\n');
    await admin.config('SET', 'maxmemory', '0');
    await admin.replicaof('127.0.0.1', 1);
    await expect.poll(readiness).toContain('Redis is read-only');
    await admin.replicaof('NO', 'ONE');
    await expect.poll(readiness).toBe('ready\n');
    await admin.flushall();
    expect(await readiness()).toBe('not ready: Redis is empty: its data was deleted\n');
    await expect.poll(readiness).toBe('ready\n');
    admin.disconnect();
    await Promise.all([http.stop(), bot.stop()]);
    await redis.close();
  });
});

describe.concurrent('a bot without Redis', () => {
  it('is not ready, but runs and can be stopped', async ({ expect }) => {
    const wire = await wireTo(bellows.redisUrl);
    const config = { ...bellows.config, redisUrl: wire.url };
    const metrics = createMetrics();
    const bot = await startBot(config, log, metrics);
    const http = await serving({ config, log, metrics, parts: [bot], agents: bot.agents });
    wire.cut();
    await expect.poll(async () => (await fetch(`${http.address}/readyz`)).status).toBe(503);
    expect((await fetch(`${http.address}/healthz`)).status).toBe(200);
    const headers = { authorization: `Bearer bwa_${'a'.repeat(12)}_${'A'.repeat(43)}` };
    expect((await fetch(`${http.address}/mcp`, { method: 'POST', headers })).status).toBe(503);
    await Promise.all([http.stop(), bot.stop()]);
    await wire.close();
  });

  it('says in one line that Redis cannot be reached, where it starts', async ({ expect }) => {
    const error = await withoutRedis;
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ message: expect.stringMatching(/^[^\n]*Redis[^\n]*$/) });
  });
});

describe.concurrent('bellows bot', () => {
  it('logs an error that nothing caught, and stops cleanly', async ({ expect }) => {
    const stray = `process.on('SIGUSR2', () => void Promise.reject(new Error('a stray error')))`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(stray)}`;
    const { child, logged } = await startPart('bot', environmentOf(bellows.config, { NODE_OPTIONS }));
    const gone = once(child, 'exit');
    child.kill('SIGUSR2');
    expect(await gone).toEqual([1, null]);
    expect(logged.at(-1)).toContain('"msg":"stopping after an unexpected error"');
    expect(logged.at(-1)).toContain('a stray error');
    expect(logged.every((line) => line.startsWith('{'))).toBe(true);
  });
});

describe.concurrent('bellows start', () => {
  it('says when it is ready, answers, and exits cleanly on SIGTERM even while Slack cannot be reached', async ({
    expect,
    onTestFinished,
  }) => {
    // its own: the other bots keep their connections
    const slack = await startSlack({ ackTimeoutMs: 60_000 });
    onTestFinished(() => slack.close());
    const child = spawn('node', [...program(), 'start'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: environmentOn({ ...bellows.config, forge: bellows.forge, slack }),
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const gone = once(child, 'exit');
    let address = '';
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      address = /"address":"([^"]+)"/.exec(line)?.[1] ?? '';
      said.push(/"msg":"([^"]+)"/.exec(line)?.[1] ?? line);
      if (line.includes('bellows is ready')) break;
    }
    expect(said.slice(-4)).toEqual([
      'mode: bot and worker, Slack over Socket Mode',
      expect.stringMatching(/^workspace: \S/),
      expect.stringMatching(/^forge: Gitea \d+\.\d+\S* at http/),
      `bellows is ready at ${address}`,
    ]);
    expect((await fetch(`${address}/readyz`)).status).toBe(200);
    expect((await fetch(`${address}/mcp`, { method: 'POST' })).status).toBe(401);
    const ada = slack.as('ada');
    await ada.command('engine', '/forge', 'whoami');
    await slack.until(() => ada.sees('engine').some(({ text }) => text.includes('You have not linked')));
    const asked = () => slack.calls.of('apps.connections.open').length;
    const before = asked();
    slack.faults.next('apps.connections.open', { kind: 'drop' }, Number.POSITIVE_INFINITY);
    slack.socket.drop();
    await slack.until(() => asked() > before + 1);
    child.kill('SIGTERM');
    expect(await gone).toEqual([0, null]);
  });
});
