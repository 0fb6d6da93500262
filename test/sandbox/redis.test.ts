import { startRedis } from '@bellows/sandbox/redis.js';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { close, connect, ready } from '../../src/store/redis.js';
import { allKeys, freshRedis } from '../support/redis.js';

async function says(url: string): Promise<string | null> {
  const redis = connect(url);
  await ready(redis);
  await redis.set('x', 'hello');
  const word = await redis.get('x');
  await close(redis);
  return word;
}

describe("the sandbox's Redis", () => {
  it('is the given one if there is one', async () => {
    const given = await startRedis({ url: 'redis://elsewhere:6379' });
    expect(given).toMatchObject({ url: 'redis://elsewhere:6379', kind: 'given' });
    await given.close();
  });

  it('is a stand-in that says so if no server is installed', async () => {
    const standIn = await startRedis({ path: '' });
    expect(standIn.kind).toBe('in-process');
    expect(standIn.word).toMatch(/keeps nothing/);
    expect(await says(standIn.url)).toBe('hello');
    await standIn.close();
  });

  it('is whatever this machine has, otherwise', async () => {
    const found = await startRedis();
    expect(['private', 'in-process']).toContain(found.kind);
    expect(await says(found.url)).toBe('hello');
    await found.close();
  });

  it('gives up with a word if its port stays taken', async ({ skip }) => {
    const taken = await startRedis();
    skip(taken.kind === 'in-process', 'the stand-in chooses its port itself');
    await expect(startRedis({ args: ['--port', new URL(taken.url).port] })).rejects.toThrow('could not be started');
    await taken.close();
  });

  it('stops even while it writes its first append-only file, when Redis refuses to', async ({ skip }) => {
    const found = await startRedis();
    skip(found.kind === 'in-process', 'the stand-in keeps nothing');
    const redis = new Redis(found.url);
    await redis.set('x', 'hello');
    await redis.config('SET', 'rdb-key-save-delay', 60_000_000);
    await redis.config('SET', 'appendonly', 'yes');
    await redis.quit();
    await found.close();
    const late = new Redis(found.url, { lazyConnect: true, retryStrategy: () => null }).on('error', () => {});
    await expect(late.connect()).rejects.toThrow();
  });
});

describe('the Redis of a test', () => {
  it('is out of reach of what an earlier test left running', async () => {
    const [earlier, later] = [await freshRedis(), await freshRedis()];
    await earlier.redis.set('late', 'x');
    expect(await allKeys(later.redis)).toEqual([]);
    await Promise.all([earlier.close(), later.close()]);
  });
});
