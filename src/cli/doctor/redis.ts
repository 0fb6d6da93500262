import { Cluster, type Redis } from 'ioredis';
import type { Config } from '../../config.js';
import { readAddress } from '../../store/address.js';
import { close, connect, ready } from '../../store/index.js';
import { lookAtData } from './data.js';
import type { Notebook } from './finding.js';

const oldest = [6, 2] as const;

export async function lookAtRedis(config: Config, found: Notebook): Promise<void> {
  const redis = connect(config.redisUrl, { name: 'bellows-doctor' });
  try {
    await ready(redis, 3_000);
    const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
    const { kind } = readAddress(config.redisUrl);
    found.ok(kind === 'cluster' ? `connected: a cluster of ${nodes.length} masters` : `connected (${kind})`);
    for (const node of nodes) await lookAtNode(node, kind === 'cluster', found);
    await lookAtData(config, redis, found);
  } finally {
    await close(redis);
  }
}

async function lookAtNode(node: Redis, asCluster: boolean, found: Notebook): Promise<void> {
  const info = readInfo(await node.info());
  version(info, found);
  policy(info, found);
  persistence(info, found);
  const isCluster = info.get('cluster_enabled') === '1';
  if (isCluster && !asCluster) {
    found.failure(
      'this Redis is part of a cluster, but REDIS_URL names a single server',
      'Set REDIS_URL to redis+cluster://host:port,host:port.',
    );
  }
  if (info.get('role') === 'slave') {
    found.failure(
      'this Redis is a read-only replica',
      'Point REDIS_URL at the primary, or use redis+sentinel://…/name.',
    );
  }
}

function readInfo(text: string): ReadonlyMap<string, string> {
  const pairs = [...text.matchAll(/^([a-z0-9_]+):(.*?)\r?$/gm)];
  return new Map(pairs.map(([, name = '', value = '']) => [name, value]));
}

function version(info: ReadonlyMap<string, string>, found: Notebook): void {
  const text = info.get('redis_version') ?? 'unknown';
  const name = info.get('server_name') === 'valkey' ? `Valkey ${info.get('valkey_version') ?? ''}` : `Redis ${text}`;
  const [major = 0, minor = 0] = text.split('.').map(Number);
  const fits = major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
  if (fits) found.ok(`version: ${name.trim()}`);
  else found.failure(`version: ${name} is too old`, `Use Redis ${oldest.join('.')} or newer, or any Valkey.`);
}

function policy(info: ReadonlyMap<string, string>, found: Notebook): void {
  const kept = info.get('maxmemory_policy');
  if (kept === 'noeviction') found.ok('eviction: noeviction, so nothing is dropped');
  else if (kept === undefined) found.note('eviction: the server does not report it', 'Make sure it is noeviction.');
  else
    found.failure(
      `eviction: ${kept} drops queued work when memory runs out`,
      'Set maxmemory-policy noeviction, and use this Redis for Bellows only.',
    );
  const [used, most] = [Number(info.get('used_memory') ?? 0), Number(info.get('maxmemory') ?? 0)];
  if (most > 0 && used > most * 0.8) {
    found.warning(`memory: ${Math.round((100 * used) / most)}% of maxmemory is used`, 'Raise maxmemory.');
  }
}

function persistence(info: ReadonlyMap<string, string>, found: Notebook): void {
  const aof = info.get('aof_enabled') === '1';
  if (aof && info.get('aof_last_write_status') === 'err') {
    found.failure('persistence: the append-only file cannot be written', 'Check the Redis log and its disk.');
  } else if (aof) {
    found.ok('persistence: append-only file');
  } else if (info.get('rdb_last_bgsave_status') === 'err') {
    found.failure('persistence: the last snapshot failed', 'Check the Redis log and its disk.');
  } else {
    found.warning(
      'persistence: no append-only file, so a Redis crash loses everything since the last snapshot',
      'Set appendonly yes. With appendfsync everysec a crash loses at most a second, with always nothing.',
    );
  }
}
