import { startForge } from '@bellows/sandbox/forge';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startBot } from '../../src/bot.js';
import { examine } from '../../src/cli/doctor.js';
import { accept } from '../../src/cli/namespace.js';
import { createLog } from '../../src/log.js';
import { close, connect, openNamespace, ready } from '../../src/store/index.js';
import { startWorker } from '../../src/worker.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { environmentOf } from '../support/processes.js';
import { allKeys } from '../support/redis.js';
import { wireTo } from '../support/wire.js';

const log = createLog({ level: 'silent' });
let bellows: Bellows;
beforeAll(async () => {
  bellows = await startBellows({ parts: [] });
});
afterAll(() => bellows.close());
beforeEach(() => withRedis((redis) => redis.flushdb()));

async function withRedis<T>(work: (redis: ReturnType<typeof connect>) => Promise<T>): Promise<T> {
  const redis = connect(bellows.redisUrl);
  await ready(redis);
  try {
    return await work(redis);
  } finally {
    await close(redis);
  }
}

async function during(forgeUrl: string, work: () => Promise<void>): Promise<void> {
  const config = { ...bellows.config, forge: { ...bellows.config.forge, url: forgeUrl } };
  const [bot, worker] = await Promise.all([startBot(config, log), startWorker(config, log)]);
  try {
    await work();
  } finally {
    await Promise.all([bot.stop(), worker.stop()]);
  }
}

const isLinked = async (): Promise<void> => {
  const ada = bellows.slack.as('ada');
  const before = new Set(ada.sees('engine').map(({ ts }) => ts));
  await ada.command('engine', '/forge', 'issue show acme/engine#4');
  await bellows.slack.until(() =>
    ada.sees('engine').some((each) => !before.has(each.ts) && JSON.stringify(each).includes('Alarm 1202')),
  );
};

const env = (others: Record<string, string>) => environmentOf(bellows.config, others);
const failures = async (others: Record<string, string>) =>
  (await examine(env(others))).filter(({ level }) => level === 'failure').map(({ says }) => says);

const accepting = (forge: { url?: string; token?: string }, wish = { force: false }) =>
  withRedis((redis) => accept({ ...bellows.config, forge: { ...bellows.config.forge, ...forge } }, redis, wish));

describe('BELLOWS_NAMESPACE', () => {
  it('names the data, not the address of the forge', async () => {
    await during(bellows.forge.url, () => bellows.link('ada'));
    const keys = await withRedis(allKeys);
    expect(keys).toContain('bellows:main:namespace');
    expect(keys.filter((key) => !/^\{?bellows:\{?main:/.test(key))).toEqual([]);
  });

  it('notices a new address, sends nothing there, and continues after one command', async () => {
    await during(bellows.forge.url, () => bellows.link('ada'));
    const wire = await wireTo(bellows.forge.url);
    const moved = wire.url;
    await expect(during(moved, isLinked)).rejects.toThrow(/bellows namespace accept/);
    expect(await failures({ FORGE_URL: moved })).toEqual([expect.stringContaining('contains the data of')]);
    expect(await accepting({ url: moved })).toContain('recognized by service account bellows-bot');
    expect(await failures({ FORGE_URL: moved })).toEqual([]);
    await during(moved, isLinked);
    await wire.close();
  });

  it('does not accept another forge', async () => {
    await during(bellows.forge.url, () => bellows.link('ada'));
    const other = await startForge();
    const token = other.account('grace').token();
    for (const force of [false, true])
      await expect(accepting({ url: other.url, token }, { force })).rejects.toThrow(
        /not the same forge: the service account is grace/,
      );
    await other.close();
  });

  it('has nothing to accept before the first start', async () => {
    await expect(accepting({})).rejects.toThrow('namespace main is empty');
  });

  it('accepts on the word of the operator only where nothing can be compared', async () => {
    await withRedis((redis) => openNamespace(redis, 'main', 'https://old.example'));
    await expect(accepting({})).rejects.toThrow(/nothing to compare this forge with.*add --force/);
    expect(await accepting({}, { force: true })).toContain('before: https://old.example');
  });
});
