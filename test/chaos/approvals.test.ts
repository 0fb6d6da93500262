import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { close, connect, createSeal, createStore, ready, type Store } from '../../src/store/index.js';
import { decideIn, force, repo, requestOn } from '../commands/deciding.js';
import type { Shown } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { environmentOf, type Part, startPart } from '../support/processes.js';
import { startRedis, testKeys } from '../support/redis.js';

/** A claim whose holder was killed expires after a minute. */
const patience = 180_000;
const policy = `
roles: { admin: { users: [U0ADA00001, U0GRACE001, U0ALAN0001] } }
approvals: { commands: { cron run: { count: 2 } } }
`;
const cron = 'POST /admin/cron/{task}';

describe('approvals under kill -9', () => {
  let bellows: Bellows;
  let store: Store;
  let folder: string;
  let bot: Part;
  let worker: Part;
  const { ask, cardSays, stuck } = decideIn(() => bellows);
  const start = (word: 'bot' | 'worker') =>
    startPart(word, environmentOf(bellows.config, { BELLOWS_CONFIG: join(folder, 'bellows.yaml') }));
  const again = async () => {
    await worker.kill();
    worker = await start('worker');
  };

  beforeAll(async () => {
    expect((await startRedis()).kind, 'these tests need redis-server or valkey-server on PATH').toBe('private');
    folder = await mkdtemp(join(tmpdir(), 'bellows-approvals-'));
    await writeFile(join(folder, 'bellows.yaml'), policy);
    bellows = await startBellows({ parts: [], policy });
    const redis = connect(bellows.redisUrl);
    await ready(redis);
    store = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
    [bot, worker] = await Promise.all([start('bot'), start('worker')]);
    await bellows.link('ada');
    await bellows.link('grace');
    await bellows.link('alan', 'margaret');
  });
  afterEach(() => bellows.forge.faults.clear());
  afterAll(async () => {
    await Promise.all([bot.kill('SIGTERM'), worker.kill('SIGTERM')]);
    await close(store.redis);
    await bellows.close();
    await rm(folder, { recursive: true, force: true });
  });

  const request = (card: Shown) => store.approvals.get(requestOn(card));

  it('keeps each vote, and runs once after the last one', { timeout: 240_000 }, async () => {
    const card = await ask('cron run git_gc_repos');
    await bellows.slack.as('grace').click(card, 'Approve');
    await cardSays(card, '1 of 2 approved');
    await again();
    expect((await request(card))?.decisions).toHaveLength(1);
    await worker.kill();
    await bellows.slack.as('alan').clickOnOldScreen(card, 'Approve');
    worker = await start('worker');
    await cardSays(card, '✅ Approved by');
    expect(bellows.forge.requests.of(cron)).toHaveLength(1);
  });

  it('runs once after a crash between the vote and the run', { timeout: 240_000 }, async () => {
    const { faults, requests } = bellows.forge;
    const card = await ask(`run force-cancel ${repo}#${stuck('Between vote and run')}`);
    // every read takes a while: the vote is stored, and nothing was sent yet
    faults.add({ on: /GET .*actions\/runs/, trouble: { delay: 1_000 }, times: 100 });
    await bellows.slack.as('grace').click(card, 'Approve');
    const state = async () => (await request(card))?.state;
    await expect.poll(state, { timeout: patience, interval: 5 }).toBe('running');
    await worker.kill();
    expect(requests.of(force)).toEqual([]);
    faults.clear();
    worker = await start('worker');
    await cardSays(card, '✅ Approved by');
    expect(requests.of(force)).toHaveLength(1);
  });

  it('is not sent again after a crash during the run, and reports what is known', { timeout: 240_000 }, async () => {
    const { faults, requests } = bellows.forge;
    const before = requests.of(cron).length;
    const card = await ask('cron run resync_all_sshkeys');
    await bellows.slack.as('grace').click(card, 'Approve');
    await cardSays(card, '1 of 2 approved');
    faults.add({ on: /POST .*admin\/cron/, trouble: { delay: 60_000 } });
    const sent = requests.next(/POST .*admin\/cron/);
    await bellows.slack.as('alan').click(card, 'Approve');
    await sent;
    await again();
    // found at the forge if it happened, otherwise unknown; never sent twice
    await cardSays(card, /✅ Approved by|did not confirm it/);
    expect(requests.of(cron).length - before).toBeLessThanOrEqual(1);
  });
});
