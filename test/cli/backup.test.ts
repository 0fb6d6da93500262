import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxRedis } from '@bellows/sandbox/redis.js';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startBot } from '../../src/bot.js';
import { createLog } from '../../src/log.js';
import { startWorker } from '../../src/worker.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { ownRedis } from '../support/redis.js';

const log = createLog({ level: 'silent' });
let bellows: Bellows;
let first: SandboxRedis;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bellows-backup-'));
  first = await ownRedis(['--appendonly', 'yes']);
  bellows = await startBellows({ parts: [] });
});
afterAll(async () => {
  await bellows.close();
  await rm(folder, { recursive: true, force: true });
});

async function running(redisUrl: string) {
  const config = { ...bellows.config, redisUrl };
  const [bot, worker] = await Promise.all([startBot(config, log), startWorker(config, log)]);
  return { stop: () => Promise.all([bot.stop(), worker.stop()]) };
}

describe('a backup of Redis', () => {
  it('restores everything on another Redis, as docs/deployment.md describes', async ({ skip }) => {
    skip(first.kind === 'built-in', 'the built-in one keeps nothing');
    const before = await running(first.url);
    await bellows.signIn('ada');
    const redis = new Redis(first.url);
    await redis.save();
    const [, dir = ''] = words(await redis.config('GET', 'dir'));
    await copyFile(join(dir, 'dump.rdb'), join(folder, 'dump.rdb'));
    await redis.quit();
    await before.stop();
    await first.close();

    const second = await ownRedis(['--dir', folder, '--dbfilename', 'dump.rdb']);
    const restored = new Redis(second.url);
    await restored.config('SET', 'appendonly', 'yes');
    await restored.quit();
    const after = await running(second.url);
    const ada = bellows.slack.as('ada');
    await ada.command('engine', '/forge', 'issue show acme/engine#4');
    await bellows.slack.until(() => ada.sees('engine').some((each) => JSON.stringify(each).includes('Alarm 1202')));
    await after.stop();
    await second.close();
  });
});

const words = (pair: unknown): string[] => (Array.isArray(pair) ? pair.map(String) : []);
