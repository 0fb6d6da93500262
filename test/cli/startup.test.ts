import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { startBot } from '../../src/bot.js';
import { createLog } from '../../src/log.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { cli, cliIn, cliWith, type Ran } from '../support/cli.js';
import { environmentOf } from '../support/processes.js';

const log = createLog({ level: 'silent' });
let bellows: Bellows;
/** It tries for ten seconds, so it starts before the other tests. */
let withoutRedis: Promise<Ran>;
beforeAll(async () => {
  bellows = await startBellows({ parts: [] });
  const env = environmentOf(bellows.config, { REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'fatal' });
  withoutRedis = cliWith(env, 'start');
});
afterAll(() => bellows.close());

const startWith = (slack: Partial<Bellows['config']['slack']>) =>
  startBot({ ...bellows.config, slack: { ...bellows.config.slack, ...slack } }, log);

describe('start', () => {
  it('names what is missing in production and exits with 1, without a sandbox', async () => {
    const { code, stdout, stderr } = await cliWith({ NODE_ENV: 'production', PORT: '0' }, 'start');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    for (const name of ['SLACK_BOT_TOKEN', 'FORGE_URL', 'FORGE_TOKEN', 'REDIS_URL', 'BELLOWS_KEYS'])
      expect(stderr).toContain(name);
  });

  it('takes a missing bellows.yaml as empty, but not an unreadable one: its approvals would be gone', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bellows-policy-'));
    const env = environmentOf(bellows.config, { SLACK_BOT_TOKEN: 'xoxb-revoked' });
    expect((await cliIn(folder, env, 'start')).stderr).toContain('SLACK_BOT_TOKEN');
    // as Docker makes it for a file that is not there
    await mkdir(join(folder, 'bellows.yaml'));
    const { code, stderr } = await cliIn(folder, env, 'start');
    expect(code).toBe(1);
    expect(stderr).toContain('bellows.yaml: cannot be read');
    await rm(folder, { recursive: true });
  });

  it('says in one line that a token was revoked, and exits', async () => {
    const env = environmentOf(bellows.config, { SLACK_BOT_TOKEN: 'xoxb-revoked' });
    const { code, stderr } = await cliWith(env, 'start');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^bellows: Slack refuses SLACK_BOT_TOKEN \(invalid_auth\)[^\n]*\n$/);
  });

  it('says which token Slack refuses, or that Slack cannot be reached', async () => {
    const mode = { kind: 'socket', appToken: 'xapp-wrong' } as const;
    await expect(startWith({ mode })).rejects.toThrow(/^Slack refuses SLACK_APP_TOKEN \(invalid_auth\)/);
    await expect(startWith({ apiUrl: 'http://127.0.0.1:1/api/' })).rejects.toThrow(/^Slack cannot be reached/);
  });

  it('leaves nothing running when Slack refuses it', async () => {
    const redis = new Redis(bellows.redisUrl);
    const clients = async () =>
      String(await redis.client('LIST'))
        .trim()
        .split('\n').length;
    const before = await clients();
    await expect(startWith({ mode: { kind: 'socket', appToken: 'xapp-wrong' } })).rejects.toThrow(/invalid_auth/);
    await expect.poll(clients).toBe(before);
    redis.disconnect();
  });

  it('says in one line that its port is in use, and exits', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    // A TCP server's address is never a pipe name.
    const { port } = taken.address() as AddressInfo;
    const { code, stderr } = await cliWith(
      environmentOf(bellows.config, { PORT: `${port}`, LOG_LEVEL: 'error' }),
      'start',
    );
    taken.close();
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `bellows: Cannot listen on 127.0.0.1:${port}: the port is in use. Stop the other program, or set PORT.\n`,
    });
  });
});

describe('--help', () => {
  it('is answered before anything else', async () => {
    for (const args of [['audit', 'verify', '--help'], ['start', '-h'], ['help', 'doctor'], ['--help'], []]) {
      const { code, stdout, stderr } = await cli(...args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('bellows');
    }
  });
});

it('says its version', async () => {
  const { code, stdout } = await cli('--version');
  expect({ code, version: stdout.trim() }).toEqual({ code: 0, version: packageJson.version });
});

it('start says in one line that Redis cannot be reached, and exits', async () => {
  const { code, stderr } = await withoutRedis;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^bellows: [^\n]*Redis[^\n]*\n$/);
});
