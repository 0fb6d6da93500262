import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Part } from '../support/processes.js';
import { type DurableRedis, startDurableRedis } from './support/durable-redis.js';
import { type Product, startProduct } from './support/product.js';

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const [old, young] = [key('old'), key('young')];
const show = ['issue show acme/engine#4', 'Alarm 1202'] as const;

describe('a rolling change of BELLOWS_KEYS', { timeout: 180_000 }, () => {
  let redis: DurableRedis;
  let product: Product;
  beforeAll(async () => {
    redis = await startDurableRedis('everysec');
    product = await startProduct(redis.url);
  });
  afterAll(async () => {
    await product.close();
    await redis.close();
  });

  it('fails no command, even if the new key is put first at once', async () => {
    const start = (word: 'bot' | 'worker', keys: string): Promise<Part> => product.start(word, { BELLOWS_KEYS: keys });
    const [bot, worker] = await Promise.all([start('bot', old), start('worker', old)]);
    await product.link();
    await product.ask(...show);
    const next = await start('worker', `${young},${old}`);
    expect(next.logged.join('\n')).toContain('running processes do not know it yet');
    for (let times = 0; times < 8; times++) await product.ask(...show);
    await product.stop(worker);
    const nextBot = await start('bot', `${young},${old}`);
    await product.stop(bot);
    await expect
      .poll(() => next.logged.join('\n'), { timeout: 60_000 })
      .toContain('tokens are now encrypted with this key');
    for (let times = 0; times < 4; times++) await product.ask(...show);
    await Promise.all([product.stop(next), product.stop(nextBot)]);
    await Promise.all([start('worker', young), start('bot', young)]);
    await product.ask(...show);
  });
});
