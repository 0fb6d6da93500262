import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort, startRedisServer } from './durable-redis.js';

export interface RedisCluster {
  /** As operators write it in REDIS_URL. */
  readonly url: string;
  close(): Promise<void>;
}

interface Master {
  readonly child: ChildProcess;
  readonly port: number;
  readonly busPort: number;
  readonly client: Redis;
}

const host = '127.0.0.1';
const slots = 16_384;

/** Three masters on loopback that share the slots among them. */
export async function startCluster(): Promise<RedisCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'bellows-cluster-'));
  const masters: Master[] = [];
  for (let at = 0; at < 3; at++) masters.push(await startMaster(folder));
  const [first] = masters;
  for (const [at, { client, port, busPort }] of masters.entries()) {
    const from = Math.floor((slots * at) / masters.length);
    const to = Math.floor((slots * (at + 1)) / masters.length) - 1;
    await client.cluster('ADDSLOTSRANGE', from, to);
    if (at > 0) await first?.client.call('CLUSTER', 'MEET', host, port, busPort);
  }
  while (!(await agreed(masters))) await pause(50);
  return {
    url: `redis+cluster://${masters.map(({ port }) => `${host}:${port}`).join(',')}`,
    async close() {
      for (const { client, child } of masters) {
        client.disconnect();
        child.kill('SIGKILL');
      }
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function startMaster(folder: string): Promise<Master> {
  const [port, busPort] = [await freePort(), await freePort()];
  const place = ['--port', String(port), '--bind', host, '--dir', folder, '--save', ''];
  const member = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort)];
  const file = ['--cluster-config-file', `nodes-${port}.conf`];
  const child = await startRedisServer([...place, ...member, ...file]);
  return { child, port, busPort, client: new Redis(port, host) };
}

async function agreed(masters: readonly Master[]): Promise<boolean> {
  const told = await Promise.all(masters.map(({ client }) => client.cluster('INFO')));
  return told.every((info) => /cluster_state:ok/.test(String(info)) && /cluster_known_nodes:3/.test(String(info)));
}
