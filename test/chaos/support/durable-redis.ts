import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '@bellows/sandbox/free-port.js';

/** A real Redis that keeps acknowledged writes and comes back at the same address. */
export interface DurableRedis {
  readonly url: string;
  stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function startDurableRedis(fsync: 'always' | 'everysec'): Promise<DurableRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'bellows-chaos-'));
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const durable = ['--appendonly', 'yes', '--appendfsync', fsync];
  let child: ChildProcess | undefined;
  const end = () => void child?.kill('SIGKILL');
  process.once('exit', end);

  async function start(): Promise<void> {
    child = await startRedisServer([...args, ...durable]);
  }
  async function stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }
  await start();
  return {
    url: `redis://127.0.0.1:${port}/0`,
    start,
    stop,
    async close() {
      process.off('exit', end);
      await stop('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Fails without redis-server: these tests mean nothing on a stand-in. */
export async function startRedisServer(
  args: readonly string[],
  ready = 'eady to accept connections',
): Promise<ChildProcess> {
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise<void>((resolve, reject) => {
    child.once('error', () => reject(new Error('redis-server is not on PATH; these tests need a real Redis.')));
    child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.includes(ready)) resolve();
    });
  });
  return child;
}
