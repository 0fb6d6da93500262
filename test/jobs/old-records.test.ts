import type { Queue } from 'bullmq';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createQueue } from '../../src/jobs/queues.js';
import { sealJob } from '../../src/jobs/sealed-job.js';
import { createLog } from '../../src/log.js';
import { openServices } from '../../src/services.js';
import { close, connect, createSeal, createStore, ready, type Store } from '../../src/store/index.js';
import { talkTo } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';

const minute = 60_000;
const day = 24 * 60 * minute;

let bellows: Bellows;
let queue: Queue;
let store: Store;
const { type } = talkTo(() => bellows);
const person = () => ({ team: bellows.slack.teamId, user: 'U0ADA00001' });

beforeAll(async () => {
  bellows = await startBellows({ tempo: { followMs: 100 } });
  const redis = connect(bellows.redisUrl);
  await ready(redis);
  store = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
  queue = createQueue('act', { connection: redis, forgeId: 'main' });
  await bellows.link('ada');
});
afterAll(async () => {
  await queue.close();
  await close(store.redis);
  await bellows.close();
});

it('a command accepted more than half an hour ago is not run, and its person is notified', async () => {
  const command = (index: number, ageMs: number) => ({
    v: 1 as const,
    kind: 'command' as const,
    command: 'issue close',
    args: { issue: { owner: 'acme', repo: 'engine', index } },
    dryRun: false,
    source: 'typed' as const,
    person: person(),
    answer: {},
    acceptedAt: Date.now() - ageMs,
  });
  const { index } = bellows.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Old' });
  await queue.add('command', sealJob(store, command(index, 31 * minute), 'j-old'), { jobId: 'j-old' });
  const ada = bellows.slack.as('ada');
  await bellows.slack.until(() => ada.sees(ada.dm).find(({ text }) => text.includes('older than 30 minutes')));
  expect(bellows.forge.world.issue('acme/engine', index)?.state).toBe('open');
  await queue.add('command', sealJob(store, command(index, 29 * minute), 'j-young'), { jobId: 'j-young' });
  await expect.poll(() => bellows.forge.world.issue('acme/engine', index)?.state).toBe('closed');
  // the next test counts what runs
  await expect.poll(() => queue.getActiveCount()).toBe(0);
});

it('a runner whose time was more than a week ago is left alone', async () => {
  const [runner] = [...bellows.forge.world.state.runners.values()];
  if (!runner) throw new Error('the sandbox has no runner');
  runner.disabled = true;
  const drain = { runner: runner.id, person: person(), tell: false, since: Date.now() - 9 * day };
  await store.drains.put('old', { ...drain, enableAt: Date.now() - 8 * day }, 0);
  await expect.poll(() => store.redis.hexists('bellows:{main:drains}:all', 'old')).toBe(0);
  expect(await queue.getJobCounts('waiting', 'active', 'delayed')).toEqual({ waiting: 0, active: 0, delayed: 0 });
  expect(runner.disabled).toBe(true);
});

it('the head of the audit chain is logged with every row', async () => {
  await type('ada', 'mute 1h');
  const { seq, hash } = await store.audit.head();
  const said = bellows.logged.map((line) => JSON.parse(line)).find((line) => line.msg === 'audit' && line.seq === seq);
  expect(said).toMatchObject({ seq, head: hash.slice(-16), command: 'mute' });
});

it('the service account sends no writes', async () => {
  const open = await openServices({ config: bellows.config, log: createLog({ level: 'silent' }) });
  try {
    const { service } = open.services;
    bellows.forge.requests.clear();
    const body = { title: 'Mine' };
    await expect(service.issues.create({ owner: 'acme', repo: 'engine', body })).rejects.toThrow('only reads');
    expect(bellows.forge.requests.of('POST /repos/{owner}/{repo}/issues')).toEqual([]);
    expect(await service.users.me()).toMatchObject({ login: 'bellows-bot' });
  } finally {
    await open.close();
  }
});
