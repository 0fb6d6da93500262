import { type SandboxRedis, startRedis } from '@bellows/sandbox/redis.js';

/** As in production: acknowledged writes are on disk. Without a real server no figure means anything. */
export async function startDurable(): Promise<SandboxRedis> {
  const redis = await startRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'everysec'] });
  if (redis.kind === 'built-in') throw new Error('A benchmark needs redis-server on PATH.');
  return redis;
}
