import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { program } from '../support/program.js';

const started: ChildProcess[] = [];

/** The program as someone would start it, with no setting of this machine but PATH. */
function start(env: Record<string, string>, words: readonly string[], cwd = process.cwd()) {
  const child = spawn(process.execPath, [...words], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let said = '';
  const heard = (text: RegExp) =>
    new Promise<string>((done, reject) => {
      const look = () => (text.test(said) ? done(said) : undefined);
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (part: string) => {
          said += part;
          look();
        });
      child.once('exit', () => (text.test(said) ? done(said) : reject(new Error(`It ended and said: ${said}`))));
    });
  return { child, heard };
}

/** From any folder. */
const bellows = (word: string) => [...program().map((path) => resolve(path)), word];

describe('start', () => {
  afterEach(async () => {
    for (const child of started.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    }
  });

  it('is the sandbox if nothing is configured, says so, shows one address, and exits on request', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bellows-env-'));
    writeFileSync(join(folder, '.env'), 'SLACK_BOT_TOKEN=xoxb-1\n');
    const { child, heard } = start({}, bellows('start'), folder);
    const said = await heard(/Ctrl\+C/);
    rmSync(folder, { recursive: true });
    expect(said).toContain('Bellows sandbox');
    expect(said).toContain('Neither Slack nor a forge is configured');
    expect(said).toContain('Bellows does not read the .env file in this folder by itself');
    expect(said).toContain('set -a; . ./.env; set +a');
    const addresses = said.match(/http:\/\/\S+/g) ?? [];
    expect(addresses).toHaveLength(1);
    expect((await fetch(`${addresses[0]}/healthz`)).status).toBe(200);
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await gone).toEqual([0, null]);
  });

  it('names everything that is missing if only some is configured, and starts nothing', async () => {
    const { child, heard } = start({ SLACK_BOT_TOKEN: 'xoxb-1' }, bellows('start'));
    const gone = once(child, 'exit');
    const said = await heard(/SLACK_APP_TOKEN/);
    expect(await gone).toEqual([1, null]);
    for (const name of ['FORGE_URL', 'FORGE_TOKEN', 'REDIS_URL', 'BELLOWS_KEYS']) expect(said).toContain(name);
    expect(said).not.toContain('sandbox');
  });

  it('ignores real settings if the sandbox is requested by name', async () => {
    const { heard } = start(
      // nothing listens there
      { SLACK_BOT_TOKEN: 'xoxb-1', FORGE_URL: 'https://git.example.org', REDIS_URL: 'redis://127.0.0.1:1' },
      bellows('sandbox'),
    );
    const said = await heard(/Ctrl\+C/);
    expect(said).toContain('Your Slack and forge settings are not used');
    expect(said).not.toContain('git.example.org');
  });
});
