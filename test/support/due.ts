import { expect } from 'vitest';
import { close, connect } from '../../src/store/index.js';
import type { Bellows } from './bellows.js';

/** What a worker would look at within the next minute is due now. */
export async function lookNow({ redisUrl }: Bellows, what: 'answers' | 'drains' | 'follows'): Promise<void> {
  const redis = connect(redisUrl);
  const due = `bellows:{main:${what}}:due`;
  for (const id of await redis.zrange(due, '0', '-1')) {
    expect(Number(await redis.zscore(due, id))).toBeLessThan(Date.now() + 60_000);
    await redis.zadd(due, 'XX', 0, id);
  }
  await close(redis);
}
