import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Part } from '../support/processes.js';
import { type Wire, wireTo } from '../support/wire.js';
import { type DurableRedis, startDurableRedis } from './support/durable-redis.js';
import { type Product, startProduct } from './support/product.js';

const show = ['issue show acme/engine#4', 'Alarm 1202'] as const;

describe('Redis fails over behind one address, is full, is emptied', { timeout: 180_000 }, () => {
  let first: DurableRedis;
  let second: DurableRedis;
  let wire: Wire;
  let product: Product;
  let bot: Part;
  let worker: Part;
  let present: Redis;

  beforeAll(async () => {
    [first, second] = await Promise.all([startDurableRedis('everysec'), startDurableRedis('everysec')]);
    wire = await wireTo(first.url);
    product = await startProduct(wire.url);
    [bot, worker] = await Promise.all([product.start('bot'), product.start('worker')]);
    await product.link();
    present = new Redis(first.url);
  });
  afterAll(async () => {
    present.disconnect();
    await product.close();
    await Promise.all([first.close(), second.close(), wire.close()]);
  });

  it('recovers after a failover, with the old primary still there as a replica', async () => {
    const young = new Redis(second.url);
    await young.replicaof('127.0.0.1', Number(new URL(first.url).port));
    await expect.poll(() => young.info('replication'), { timeout: 30_000 }).toContain('master_link_status:up');
    await product.ask(...show);
    wire.lead(second.url);
    await young.replicaof('NO', 'ONE');
    await present.replicaof('127.0.0.1', Number(new URL(second.url).port));
    present.disconnect();
    present = young;
    await expect.poll(() => product.readyz(bot), { timeout: 30_000 }).toBe('ready\n');
    await expect.poll(() => product.readyz(worker), { timeout: 30_000 }).toBe('ready\n');
    await product.ask(...show);
  });

  it('stays quiet while Redis is full, reports it, and works again afterwards', async () => {
    await present.config('SET', 'maxmemory', '1');
    await expect.poll(() => product.readyz(worker), { timeout: 30_000 }).toContain('Redis is full');
    const [lines, cpu] = [worker.logged.length, await cpuOf(worker)];
    await pause(10_000);
    expect(worker.logged.length - lines).toBeLessThan(10);
    expect((await cpuOf(worker)) - cpu).toBeLessThan(3);
    await present.config('SET', 'maxmemory', '0');
    await expect.poll(() => product.readyz(worker), { timeout: 30_000 }).toBe('ready\n');
    await product.ask(...show);
  });

  it('starts over when Redis was emptied: logs it once, polls, and floods nobody', async () => {
    await present.flushall();
    const said = () => [...bot.logged, ...worker.logged].filter((line) => line.includes('Redis was emptied'));
    await expect.poll(() => product.readyz(worker), { timeout: 30_000 }).toBe('ready\n');
    await expect.poll(() => said().length, { timeout: 30_000 }).toBeGreaterThan(0);
    await product.link();
    await product.ask('subscribe acme/engine issues', 'acme/engine');
    for (let times = 0; times < 3; times++) await product.forge.requests.next(/engine\/activities\/feeds/);
    const posted = () =>
      product.slack.state.messages('C0ENGINE01').filter(({ byBot, text }) => byBot && text.includes('opened'));
    expect(posted()).toEqual([]);
    product.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title: 'After the flood.' });
    await product.slack.until(() => posted().length > 0, 60_000);
    expect(posted()).toHaveLength(1);
    expect(said()).toHaveLength(1);
  });
});

/** CPU seconds so far. */
async function cpuOf({ child }: Part): Promise<number> {
  const { readFile } = await import('node:fs/promises');
  const fields = (await readFile(`/proc/${child.pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
