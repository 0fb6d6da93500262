import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { program } from '../support/program.js';

it('start is the sandbox if nothing is configured, says so, shows one address, and exits on request', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bellows-env-'));
  writeFileSync(join(folder, '.env'), 'SLACK_BOT_TOKEN=xoxb-1\n');
  // as someone would start it, with no setting of this machine but PATH
  const child = spawn(process.execPath, [...program().map((path) => resolve(path)), 'start'], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const gone = once(child, 'exit');
  let said = '';
  await new Promise<void>((done, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => {
        said += part;
        if (said.includes('Ctrl+C')) done();
      });
    child.once('exit', () => reject(new Error(`It ended and said: ${said}`)));
  });
  rmSync(folder, { recursive: true });
  try {
    expect(said).toContain('Bellows sandbox');
    expect(said).toContain('Neither Slack nor a forge is configured');
    expect(said).toContain('Bellows does not read the .env file in this folder by itself');
    expect(said).toContain('set -a; . ./.env; set +a');
    const addresses = said.match(/http:\/\/\S+/g) ?? [];
    expect(addresses).toHaveLength(1);
    expect((await fetch(`${addresses[0]}/healthz`)).status).toBe(200);
  } finally {
    child.kill('SIGTERM');
  }
  expect(await gone).toEqual([0, null]);
});
