import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, mkdtemp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { freePort } from './free-port.js';

type Guard = ChildProcessByStdio<Writable, Readable, null>;

export interface SandboxRedis {
  readonly url: string;
  readonly kind: 'given' | 'private' | 'built-in';
  /** A sentence for the person who started it. */
  readonly word: string;
  close(): Promise<void>;
}

export interface SandboxRedisOptions {
  /** REDIS_URL, if set. */
  readonly url?: string | undefined;
  /** Where to look for a server; default: PATH. */
  readonly path?: string;
  readonly args?: readonly string[];
  /** How many databases an installed one has; default: 16, as many as the built-in one. */
  readonly databases?: number;
}

/** A Redis for a machine that may have none: the given one, a private server, or one that is built in. */
export async function startRedis(options: SandboxRedisOptions = {}): Promise<SandboxRedis> {
  if (options.url) {
    return { url: options.url, kind: 'given', word: 'Redis: the one REDIS_URL names.', close: async () => {} };
  }
  const binary = await findServer(options.path ?? process.env['PATH'] ?? '');
  const { args = [], databases = 16 } = options;
  return binary === undefined ? startBuiltIn() : startInstalled(binary, ['--databases', String(databases), ...args]);
}

async function findServer(path: string): Promise<string | undefined> {
  for (const name of ['redis-server', 'valkey-server']) {
    for (const folder of path.split(delimiter).filter((each) => each !== '')) {
      const file = join(folder, name);
      const found = await access(file, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (found) return file;
    }
  }
  return undefined;
}

// Keeps the server only as long as this process lives, even if killed by SIGKILL: then the pipe closes and `read` returns.
// It is killed by SIGKILL too: Redis refuses SIGTERM while it writes its first append-only file, and its data is deleted anyway.
const guard = '"$0" "$@" & read -r _; kill -9 $! 2>/dev/null; wait; rm -rf "$BELLOWS_REDIS_DIR"';

async function startInstalled(binary: string, args: readonly string[]): Promise<SandboxRedis> {
  const { port, ...server } = await startPrivate(
    (free, dir) => [
      ...[binary, '--port', String(free), '--bind', '127.0.0.1', '--dir', dir, '--save', '', '--appendonly', 'no'],
      ...args,
    ],
    'eady to accept connections',
  );
  const word = `Redis: a private ${basename(binary)} on port ${port}, deleted when the sandbox stops.`;
  return { ...server, kind: 'private', word };
}

async function startBuiltIn(): Promise<SandboxRedis> {
  const valkey = join(dirname(createRequire(import.meta.url).resolve('@bellows/sandbox/package.json')), 'valkey.mjs');
  const { url, close } = await startPrivate(
    (free) => [process.execPath, '--no-warnings', valkey, String(free)],
    'The port is open',
  );
  const word = 'Redis: none found, so a built-in Valkey is used. Its data is deleted when the sandbox stops.';
  return { url, close, kind: 'built-in', word };
}

/** `ready`: what it prints once it can be used. */
async function startPrivate(command: (port: number, dir: string) => readonly string[], ready: string) {
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const dir = await mkdtemp(join(tmpdir(), 'bellows-redis-'));
    const port = await freePort();
    const child = spawn('sh', ['-c', guard, ...command(port, dir)], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...process.env, BELLOWS_REDIS_DIR: dir },
    });
    if (await says(child, ready)) return { url: `redis://127.0.0.1:${port}/0`, port, close: () => stop(child) };
    // someone else may have taken the port in between
    await stop(child);
  }
  throw new Error('A private Redis could not be started. Set REDIS_URL to a running one and add --use-redis-url.');
}

async function says({ stdout }: Guard, ready: string): Promise<boolean> {
  return new Promise((resolve) => {
    let said = '';
    stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes(ready)) resolve(true);
      if (/exiting|aborting/.test(said)) resolve(false);
    });
    stdout.once('close', () => resolve(false));
  });
}

async function stop(child: Guard): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.stdin.end();
  await gone;
}
