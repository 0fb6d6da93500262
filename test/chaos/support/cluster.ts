import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@bellows/sandbox/free-port.js';
import { Redis } from 'ioredis';
import { startRedisServer } from './durable-redis.js';

export interface RedisCluster {
  /** As written in REDIS_URL. */
  readonly url: string;
  readonly ports: readonly number[];
  /** kill -9 for the primary with this key; its replica takes over. */
  killPrimaryOf(key: string): Promise<void>;
  close(): Promise<void>;
}

interface Member {
  readonly child: ChildProcess;
  readonly port: number;
  readonly busPort: number;
  readonly client: Redis;
}

const host = '127.0.0.1';
const slots = 16_384;

interface ClusterOptions {
  readonly replicas?: boolean;
  readonly durable?: boolean;
  /** How long a node may be silent before its replica takes over. */
  readonly nodeTimeoutMs?: number;
}

/** Three masters on loopback that share the slots, each with a replica or an AOF on request. */
export async function startCluster(options: ClusterOptions = {}): Promise<RedisCluster> {
  const { replicas = false } = options;
  const folder = await mkdtemp(join(tmpdir(), 'bellows-cluster-'));
  const masters: Member[] = [];
  for (let at = 0; at < 3; at++) masters.push(await startMember(folder, options));
  const [first] = masters;
  for (const [at, { client, port, busPort }] of masters.entries()) {
    const from = Math.floor((slots * at) / masters.length);
    const to = Math.floor((slots * (at + 1)) / masters.length) - 1;
    await client.cluster('ADDSLOTSRANGE', from, to);
    if (at > 0) await first?.client.call('CLUSTER', 'MEET', host, port, busPort);
  }
  while (!(await agreed(masters))) await pause(50);
  const spares = replicas ? await Promise.all(masters.map((master) => addReplica(folder, master, options))) : [];
  while (!(await agreed([...masters, ...spares]))) await pause(50);
  const all = [...masters, ...spares];
  return {
    url: `redis+cluster://${masters.map(({ port }) => `${host}:${port}`).join(',')}`,
    ports: masters.map(({ port }) => port),
    async killPrimaryOf(key) {
      const slot = Number(await first?.client.cluster('KEYSLOT', key));
      masters[Math.floor((slot * masters.length) / slots)]?.child.kill('SIGKILL');
    },
    async close() {
      for (const { client, child } of all) {
        client.disconnect();
        child.kill('SIGKILL');
      }
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function addReplica(folder: string, master: Member, { nodeTimeoutMs }: ClusterOptions): Promise<Member> {
  const made = await startMember(folder, nodeTimeoutMs === undefined ? {} : { nodeTimeoutMs });
  await master.client.call('CLUSTER', 'MEET', host, made.port, made.busPort);
  const id = String(await master.client.cluster('MYID'));
  while (!String(await made.client.cluster('NODES')).includes(id)) await pause(50);
  await made.client.call('CLUSTER', 'REPLICATE', id);
  while (!String(await made.client.info('replication')).includes('master_link_status:up')) await pause(50);
  return made;
}

async function startMember(
  folder: string,
  { durable = false, nodeTimeoutMs = 4_000 }: ClusterOptions,
): Promise<Member> {
  const [port, busPort] = [await freePort(), await freePort()];
  const place = ['--port', String(port), '--bind', host, '--dir', folder, '--save', ''];
  const member = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort)];
  const file = ['--cluster-config-file', `nodes-${port}.conf`, '--cluster-node-timeout', String(nodeTimeoutMs)];
  const kept = durable ? ['--appendonly', 'yes', '--appenddirname', `appended-${port}`] : [];
  const child = await startRedisServer([...place, ...member, ...file, ...kept]);
  const client = new Redis(port, host);
  // one of them will be killed
  client.on('error', () => {});
  return { child, port, busPort, client };
}

async function agreed(members: readonly Member[]): Promise<boolean> {
  const answers = await Promise.all(members.map(({ client }) => client.cluster('INFO')));
  const known = `cluster_known_nodes:${members.length}\r`;
  return answers.every((info) => /cluster_state:ok/.test(String(info)) && String(info).includes(known));
}
