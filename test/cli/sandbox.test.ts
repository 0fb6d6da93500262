import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { SandboxRedis } from '@bellows/sandbox/redis.js';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../support/program.js';
import { ownRedis } from '../support/redis.js';

describe('bellows sandbox with REDIS_URL set', () => {
  let redis: SandboxRedis;
  let admin: Redis;
  beforeAll(async () => {
    redis = await ownRedis();
    admin = new Redis(redis.url);
  });
  afterAll(async () => {
    admin.disconnect();
    await redis.close();
  });

  /** Starts it, reads where its data is, and stops it. */
  async function redisWord(...args: readonly string[]): Promise<string | undefined> {
    const child = spawn(process.execPath, [...program(), 'sandbox', ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'] ?? '', REDIS_URL: redis.url, PORT: '0' },
    });
    const gone = once(child, 'exit');
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      said.push(line);
      if (line.includes('Stop with Ctrl+C')) break;
    }
    child.kill('SIGTERM');
    await gone;
    return said.find((line) => line.includes('Redis:'))?.trim();
  }

  it('leaves it alone', async () => {
    expect(await redisWord()).not.toContain('REDIS_URL');
    expect(await admin.dbsize()).toBe(0);
  });

  it('uses it when asked to with --use-redis-url', async () => {
    expect(await redisWord('--use-redis-url')).toBe('Redis: the one REDIS_URL names.');
    expect(await admin.dbsize()).toBeGreaterThan(0);
  });
});
