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
import { cli, cliHere, cliIn } from '../support/cli.js';
import { environmentOf } from '../support/processes.js';

const log = createLog({ level: 'silent' });
let bellows: Bellows;
let folder: string;
beforeAll(async () => {
  [bellows, folder] = await Promise.all([startBellows({ parts: [] }), mkdtemp(join(tmpdir(), 'bellows-start-'))]);
});
afterAll(async () => {
  await bellows.close();
  await rm(folder, { recursive: true });
});

const startWith = (slack: Partial<Bellows['config']['slack']>) =>
  startBot({ ...bellows.config, slack: { ...bellows.config.slack, ...slack } }, log);

describe('start', () => {
  it('names what is missing or unreadable in production and exits with 1, without a sandbox', async () => {
    // as Docker makes it for a file that is not there; taken as empty, its approvals would be gone
    await mkdir(join(folder, 'bellows.yaml'));
    const { code, stdout, stderr } = await cliIn(folder, { NODE_ENV: 'production', PORT: '0' }, 'start');
    await rm(join(folder, 'bellows.yaml'), { recursive: true });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    for (const name of ['SLACK_BOT_TOKEN', 'FORGE_URL', 'FORGE_TOKEN', 'REDIS_URL', 'BELLOWS_KEYS'])
      expect(stderr).toContain(name);
    expect(stderr).toContain('bellows.yaml: cannot be read');
  });

  it('names everything that is missing if only some is configured, and starts no sandbox', async () => {
    const missing = ['SLACK_APP_TOKEN', 'FORGE_URL', 'FORGE_TOKEN', 'REDIS_URL', 'BELLOWS_KEYS'];
    await expect(cliHere({ SLACK_BOT_TOKEN: 'xoxb-1' }, 'start')).rejects.toMatchObject({
      exitCode: 1,
      problems: expect.arrayContaining(missing.map((name) => expect.stringContaining(name))),
    });
  });

  it('says in one line which token Slack refuses, or that Slack cannot be reached', async () => {
    const mode = { kind: 'socket', appToken: 'xapp-wrong' } as const;
    const revoked = { botToken: 'xoxb-revoked' };
    await expect(startWith(revoked)).rejects.toThrow(/^Slack refuses SLACK_BOT_TOKEN \(invalid_auth\)[^\n]*$/);
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

  it('says in one line that its port is in use, and exits; it needs no bellows.yaml', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    // A TCP server's address is never a pipe name.
    const { port } = taken.address() as AddressInfo;
    const env = environmentOf(bellows.config, { PORT: `${port}`, LOG_LEVEL: 'error' });
    const { code, stderr } = await cliIn(folder, env, 'start');
    taken.close();
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `bellows: Cannot listen on 127.0.0.1:${port}: the port is in use. Stop the other program, or set PORT.\n`,
    });
  });
});

describe('--help', () => {
  it('is answered before anything else', async () => {
    const asked = [['audit', 'verify', '--help'], ['start', '-h'], ['help', 'doctor'], ['--help'], []];
    for (const { code, stdout, stderr } of await Promise.all(asked.map((args) => cli(...args)))) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('bellows');
    }
  });
});

it('says its version', async () => {
  const { code, stdout } = await cli('--version');
  expect({ code, version: stdout.trim() }).toEqual({ code: 0, version: packageJson.version });
});
