import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { startRedis } from '@bellows/sandbox/redis.js';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
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

  it('is a built-in one that says so if no server is installed, and takes and gives long values', async () => {
    const builtIn = await startRedis({ path: '' });
    expect(builtIn.kind).toBe('built-in');
    expect(builtIn.word).toContain('built-in Valkey');
    expect(await says(builtIn.url)).toBe('hello');
    const redis = new Redis(builtIn.url);
    const long = 'x'.repeat(1_000_000);
    const lines = Array.from({ length: 50 }, (_, nth) => redis.rpush('lines', `${nth} ${long.slice(0, 50_000)}`));
    await Promise.all([redis.set('long', long), ...lines]);
    expect(await redis.get('long')).toBe(long);
    expect((await redis.lrange('lines', 0, -1)).map((line) => Number.parseInt(line, 10))).toEqual([...lines.keys()]);
    await redis.quit();
    await builtIn.close();
    const late = new Redis(builtIn.url, { lazyConnect: true, retryStrategy: () => null }).on('error', () => {});
    await expect(late.connect()).rejects.toThrow();
  });

  it('is never someone else’s, if it is built in and its port was taken in between', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = z.object({ port: z.int() }).parse(other.address());
    const child = spawn(process.execPath, ['--no-warnings', 'sandbox/valkey.mjs', String(port)]);
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(said).not.toContain('The port is open');
    other.close();
  });

  it('is whatever this machine has, otherwise', async () => {
    const found = await startRedis();
    expect(['private', 'built-in']).toContain(found.kind);
    expect(await says(found.url)).toBe('hello');
    await found.close();
  });

  it('gives up with a word if its port stays taken', async ({ skip }) => {
    const taken = await startRedis();
    skip(taken.kind === 'built-in', 'the built-in one chooses its port itself');
    await expect(startRedis({ args: ['--port', new URL(taken.url).port] })).rejects.toThrow('could not be started');
    await taken.close();
  });

  it('stops even while it writes its first append-only file, when Redis refuses to', async ({ skip }) => {
    const found = await startRedis();
    skip(found.kind === 'built-in', 'the built-in one keeps nothing');
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
