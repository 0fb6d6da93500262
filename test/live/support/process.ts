import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '@bellows/sandbox/free-port.js';
import { request } from 'undici';
import type { Credential } from '../../../src/forge/index.js';
import type { Binary } from './binary.js';

const run = promisify(execFile);

export interface Running {
  readonly url: string;
  readonly login: string;
  readonly credential: Credential;
  close(): Promise<void>;
}

/** A private server in a temporary folder, with SQLite and one admin. */
export async function startProcess({ path, staticRoot }: Binary): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'bellows-gitea-'));
  const url = `http://127.0.0.1:${await freePort()}`;
  const ini = join(folder, 'app.ini');
  await writeFile(ini, settings(folder, url, staticRoot));
  await run(path, ['migrate', '-c', ini], { cwd: folder });
  const login = 'root1';
  const account = ['--username', login, '--password', randomBytes(12).toString('hex'), '--email', 'root1@example.org'];
  const flags = ['--admin', '--must-change-password=false', '--access-token', '--access-token-scopes', 'all'];
  const { stdout } = await run(path, ['admin', 'user', 'create', '-c', ini, ...account, ...flags], { cwd: folder });
  const token = /\b[0-9a-f]{40}\b/.exec(stdout)?.[0] ?? '';

  const server = spawn(path, ['web', '-c', ini], { cwd: folder, stdio: 'ignore' });
  const stopped = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const end = () => server.kill('SIGKILL');
  process.once('exit', end);
  await ready(url, () => server.exitCode);
  return {
    url,
    login,
    credential: { kind: 'token', token },
    async close() {
      process.off('exit', end);
      server.kill('SIGTERM');
      await Promise.race([stopped, pause(5000).then(end)]);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function settings(folder: string, url: string, staticRoot: string | undefined): string {
  const secret = () => randomBytes(32).toString('base64url');
  return `
RUN_MODE = prod
WORK_PATH = ${folder}
${process.getuid?.() === 0 ? 'I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true' : ''}
[database]
DB_TYPE = sqlite3
PATH = ${join(folder, 'gitea.db')}
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${new URL(url).port}
ROOT_URL = ${url}/
OFFLINE_MODE = true
START_SSH_SERVER = false
SSH_ROOT_PATH = ${join(folder, 'ssh')}
SSH_CREATE_AUTHORIZED_KEYS_FILE = false
${staticRoot ? `STATIC_ROOT_PATH = ${staticRoot}` : ''}
[security]
INSTALL_LOCK = true
SECRET_KEY = ${secret()}
[oauth2]
JWT_SECRET = ${secret()}
[service]
DISABLE_REGISTRATION = true
[queue]
; 'immediate' would write inside the transaction that caused it, and wait for itself
TYPE = channel
[webhook]
ALLOWED_HOST_LIST = 127.0.0.1
[migrations]
ALLOW_LOCALNETWORKS = true
[cron.update_checker]
ENABLED = false
[mailer]
ENABLED = false
[indexer]
ISSUE_INDEXER_TYPE = db
[log]
LEVEL = Error
`;
}

async function ready(url: string, exitCode: () => number | null): Promise<void> {
  for (let tried = 0; tried < 300; tried += 1) {
    if (exitCode() !== null) throw new Error(`gitea ended with ${exitCode()} before it was ready`);
    const answer = await request(`${url}/api/healthz`).catch(() => undefined);
    await answer?.body.dump();
    if (answer?.statusCode === 200) return;
    await pause(100);
  }
  throw new Error('gitea was not ready after 30 s');
}
