import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@bellows/sandbox/free-port.js';
import { Redis } from 'ioredis';
import { startRedisServer } from './durable-redis.js';

export interface WatchedRedis {
  /** As written in REDIS_URL. */
  readonly url: string;
  /** kill -9; the sentinels promote the replica. */
  killPrimary(): void;
  close(): Promise<void>;
}

const host = '127.0.0.1';

/** A primary and its replica, watched by three sentinels. */
export async function startSentinels(): Promise<WatchedRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'bellows-sentinel-'));
  const [first, second] = [await freePort(), await freePort()];
  const server = (port: number, ...more: string[]) =>
    startRedisServer(['--port', String(port), '--bind', host, '--dir', folder, '--save', '', ...more]);
  const primary = await server(first);
  const replica = await server(second, '--replicaof', `${host} ${first}`);
  await eventually(second, (client) => client.info('replication'), 'master_link_status:up');
  const watchers: { readonly child: ChildProcess; readonly port: number }[] = [];
  for (let at = 0; at < 3; at++) {
    const port = await freePort();
    const file = join(folder, `sentinel-${port}.conf`);
    const watch = ['down-after-milliseconds main 4000', 'failover-timeout main 5000'].map((each) => `sentinel ${each}`);
    const lines = [`port ${port}`, `dir ${folder}`, `sentinel monitor main ${host} ${first} 2`, ...watch, ''];
    await writeFile(file, lines.join('\n'));
    watchers.push({ child: await startRedisServer([file, '--sentinel'], 'Sentinel ID is'), port });
  }
  for (const { port } of watchers) await eventually(port, (client) => client.info('sentinel'), 'slaves=1,sentinels=3');
  return {
    url: `redis+sentinel://${watchers.map(({ port }) => `${host}:${port}`).join(',')}/main`,
    killPrimary: () => void primary.kill('SIGKILL'),
    async close() {
      for (const child of [...watchers.map((each) => each.child), replica, primary]) child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function eventually(port: number, ask: (client: Redis) => Promise<string>, says: string): Promise<void> {
  const client = new Redis(port, host);
  while (!(await ask(client)).includes(says)) await pause(100);
  client.disconnect();
}
