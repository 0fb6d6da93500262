import type { EventEmitter } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliHere, type Ran } from '../support/cli.js';
import { type Fresh, freshRedis } from '../support/redis.js';

const stops = ['SIGINT', 'SIGTERM', 'uncaughtException'];
/** Without the names of signals, which differ in type from the others. */
const events: EventEmitter = process;

describe('bellows sandbox with settings', () => {
  let fresh: Fresh;
  beforeAll(async () => {
    fresh = await freshRedis();
  });
  afterAll(() => fresh.close());

  /** Starts it, and stops it as soon as it listens for that. */
  async function startAndStop(...args: readonly string[]): Promise<Ran> {
    const others = stops.map((name) => [name, events.rawListeners(name)] as const);
    const stop = (name: string | symbol) =>
      name === 'SIGTERM' && queueMicrotask(() => process.emit('SIGTERM', 'SIGTERM'));
    process.on('newListener', stop);
    try {
      const real = { SLACK_BOT_TOKEN: 'xoxb-1', FORGE_URL: 'https://git.example.org', REDIS_URL: fresh.url, PORT: '0' };
      return await cliHere(real, 'sandbox', ...args);
    } finally {
      process.off('newListener', stop);
      // listeners are typed as any function
      for (const [name, kept] of others)
        for (const each of events.rawListeners(name)) if (!kept.includes(each)) events.off(name, each as () => void);
    }
  }
  const redisWord = (said: string) =>
    said
      .split('\n')
      .find((line) => line.includes('Redis:'))
      ?.trim();

  it('leaves them alone', async () => {
    const { code, stdout } = await startAndStop();
    expect(code).toBe(0);
    expect(stdout).toContain('Your Slack and forge settings are not used');
    expect(stdout).not.toContain('git.example.org');
    expect(redisWord(stdout)).not.toContain('REDIS_URL');
    expect(await fresh.redis.dbsize()).toBe(0);
  });

  it('uses REDIS_URL when asked to with --use-redis-url', async () => {
    expect(redisWord((await startAndStop('--use-redis-url')).stdout)).toBe('Redis: the one REDIS_URL names.');
    expect(await fresh.redis.dbsize()).toBeGreaterThan(0);
  });
});
