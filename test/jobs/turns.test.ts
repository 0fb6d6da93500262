import { type Queue, UnrecoverableError, type Worker } from 'bullmq';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Accept, ActJob } from '../../src/chat/act-job.js';
import { createAccept, dropEnded } from '../../src/jobs/accept.js';
import { type ActOptions, createActWorker } from '../../src/jobs/act.js';
import { createQueue, createWorker } from '../../src/jobs/queues.js';
import { createLog } from '../../src/log.js';
import { close, connect } from '../../src/store/index.js';
import { useStore } from '../support/redis.js';

const world = useStore();
const log = createLog({ level: 'silent' });
const place = () => ({ connection: world.redis, forgeId: 'f0' });

let queue: Queue;
let accept: Accept;
let worker: Worker | undefined;
let blocking: ReturnType<typeof connect>;
/** Started and not finished; calling it finishes it. */
let running: Map<string, () => void>;
let started: string[];

beforeEach(() => {
  running = new Map();
  started = [];
  queue = createQueue('act', place());
  // only fetching starts what is queued: its timer never fires here
  accept = createAccept({ queue, store: world.store, log, fetchedAfterMs: 3_600_000 });
  blocking = connect(world.url);
});
afterEach(async () => {
  for (const finish of running.values()) finish();
  await worker?.close();
  worker = undefined;
  await queue.close();
  await close(blocking);
});

const work = (more: Partial<ActOptions> = {}) => {
  worker = createActWorker({
    connection: blocking,
    forgeId: 'f0',
    log,
    queue,
    store: world.store,
    now: Date.now,
    disown: async () => {},
    perform: (_, id) => {
      started.push(id);
      return new Promise((resolve) => running.set(id, resolve));
    },
    giveUp: async () => {},
    ...more,
  });
};

const jobOf = (user: string): ActJob => ({
  v: 1,
  kind: 'undo',
  undo: 'x',
  person: { team: 'T1', user },
  answer: {},
  acceptedAt: Date.now(),
});
const ask = (user: string, ...numbers: number[]) =>
  Promise.all(numbers.map((number) => accept(jobOf(user), `j-${user}-${number}`)));
const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, at) => from + at);
const names = (user: string, ...numbers: number[]) => numbers.map((number) => `j-${user}-${number}`);
/** Where one wait follows another. */
const often = { interval: 5 };
/** What waits to be tried again is tried now. */
const hurryUntil = (seen: () => Promise<number>, most: number) =>
  expect
    .poll(async () => {
      for (const job of await queue.getDelayed()) await job.promote().catch(() => {});
      return seen();
    })
    .toBe(most);
const finish = (id: string) => {
  running.get(id)?.();
  running.delete(id);
};

it('runs a few commands of one person at once, and others beside them', async () => {
  work();
  await ask('A', ...upTo(60));
  await expect.poll(() => started).toEqual(names('A', 1, 2, 3));
  await ask('B', 1);
  await expect.poll(() => started).toEqual([...names('A', 1, 2, 3), 'j-B-1']);
});

it('starts the next in order of acceptance when one ends', async () => {
  work({ concurrency: 1 });
  await ask('A', ...upTo(10));
  for (const number of upTo(10)) {
    await expect.poll(() => running.has(`j-A-${number}`), often).toBe(true);
    finish(`j-A-${number}`);
  }
  expect(started).toEqual(names('A', ...upTo(10)));
});

it('alternates between people when all slots are taken', async () => {
  await ask('A', ...upTo(9));
  await ask('B', ...upTo(4));
  await ask('C', 1);
  work({ concurrency: 1 });
  const wanted = [...names('A', 1, 2, 3), ...names('B', 1, 2, 3), 'j-C-1', ...names('A', 4, 5, 6), 'j-B-4'];
  for (const [at, id] of wanted.entries()) {
    await expect.poll(() => started[at], often).toBe(id);
    finish(id);
  }
});

it('refuses what is too much for one person, and nobody else’s', async () => {
  expect(new Set(await ask('A', ...upTo(100)))).toEqual(new Set(['accepted']));
  expect(await ask('A', 101)).toEqual(['tooMany']);
  expect(await ask('B', 1)).toEqual(['accepted']);
  expect(await queue.getJob('j-A-101')).toBeUndefined();
  work();
  await expect.poll(() => running.has('j-A-1')).toBe(true);
  finish('j-A-1');
  await expect.poll(async () => (await queue.getJob('j-A-1'))?.finishedOn).toBeTypeOf('number');
  expect(await ask('A', 101)).toEqual(['accepted']);
});

it('recognizes redelivered commands, whether waiting, running or finished', async () => {
  work();
  await ask('A', ...upTo(5));
  await expect.poll(() => started).toHaveLength(3);
  finish('j-A-1');
  await expect.poll(() => started).toHaveLength(4);
  expect(await ask('A', ...upTo(5))).toEqual(upTo(5).map(() => 'accepted'));
  for (const id of names('A', 2, 3, 4)) finish(id);
  await expect.poll(() => running.has('j-A-5')).toBe(true);
  finish('j-A-5');
  await expect.poll(() => queue.getCompletedCount()).toBe(5);
  expect(started).toEqual(names('A', ...upTo(5)));
  expect(await world.store.turns.admit({ person: { team: 'T1', user: 'A' }, id: 'j-A-6' })).toBe('now');
});

it('passes on the turns of what ended without leaving, because its worker died', async () => {
  const person = { team: 'T1', user: 'A' };
  await ask('A', ...upTo(4));
  for (const id of names('A', 1, 2)) {
    const job = await queue.getJob(id);
    await job?.remove();
    await queue.add('command', {}, { jobId: id, attempts: 1 });
  }
  const dead = createWorker('act', { connection: blocking, forgeId: 'f0' }, async ({ id }) => {
    if (id === 'j-A-2') throw new Error('a fault');
  });
  await expect.poll(() => queue.getCompletedCount()).toBeGreaterThan(0);
  await expect.poll(() => queue.getFailedCount()).toBe(1);
  await dead.close();
  expect((await world.store.turns.holders(person)).map(({ id }) => id)).toEqual(names('A', 1, 2, 3));
  work();
  accept = createAccept({ queue, store: world.store, log, fetchedAfterMs: 50 });
  await ask('A', 5);
  await expect.poll(() => started).toContain('j-A-5');
  expect((await world.store.turns.holders(person)).map(({ id }) => id)).toEqual(names('A', 4, 5));
});

it.each([
  [9_000, false],
  [11_000, true],
])('%i ms after it was accepted, what was not stored gives up its turn: %s', async (afterMs, isGone) => {
  const person = { team: 'T1', user: 'A' };
  for (const id of names('A', 1, 2, 3)) await world.store.turns.admit({ person, id });
  world.pass(afterMs);
  await ask('A', 4);
  const holders = await world.store.turns.take({ person, id: 'j-A-4' });
  expect(await dropEnded(queue, world.store, person, holders)).toBe(isGone);
  expect(await world.store.turns.take({ person, id: 'j-A-4' })).toHaveLength(isGone ? 0 : 3);
});

it('has room again once what fills it was never stored', async () => {
  const person = { team: 'T1', user: 'A' };
  for (const id of names('A', ...upTo(100))) await world.store.turns.admit({ person, id });
  expect(await ask('A', 101)).toEqual(['tooMany']);
  world.pass(20_000);
  expect(await ask('A', 101)).toEqual(['accepted']);
});

it('a command that fails because of Redis is tried again; its person hears of nothing', async () => {
  const given: string[] = [];
  let tries = 0;
  work({
    perform: async () => {
      tries += 1;
      if (tries < 6) throw new Error('Too many Cluster redirections. Last error: CLUSTERDOWN');
    },
    giveUp: async (_, id) => void given.push(id),
  });
  await ask('A', 1);
  await hurryUntil(() => queue.getCompletedCount(), 1);
  expect({ tries, given }).toEqual({ tries: 6, given: [] });
});

it('a command that keeps failing is given up after three tries, and its person is notified as soon as that is possible', async () => {
  let tries = 0;
  let refusals = 2;
  const given: string[] = [];
  work({
    perform: async () => {
      tries += 1;
      throw new Error('a fault');
    },
    giveUp: async (_, id) => {
      refusals -= 1;
      if (refusals >= 0) throw new Error('Connection is closed.');
      given.push(id);
    },
    followMs: 100,
  });
  await ask('A', 1);
  await hurryUntil(async () => given.length, 1);
  expect({ tries, given }).toEqual({ tries: 3, given: ['j-A-1'] });
  await expect.poll(async () => (await queue.getJob('j-A-1'))?.data).not.toHaveProperty('sealed');
});

it.each([
  ['twice is run again', 1, ['j-A-1'], []],
  ['three times is not, and its person is notified', 2, [], ['j-A-1']],
])('a command that stopped its worker %s', async (_what, before, runs, givenUp) => {
  await ask('A', 1);
  // as its last worker left it behind, and another one found it once
  const jobs = '{bellows:f0:act}:act';
  await world.redis.lmove(`${jobs}:wait`, `${jobs}:active`, 'LEFT', 'RIGHT');
  await world.redis.hset(`${jobs}:j-A-1`, 'stc', before);
  await world.redis.sadd(`${jobs}:stalled`, 'j-A-1');
  const given: string[] = [];
  work({ giveUp: async (_, id) => void given.push(id) });
  await expect.poll(() => [...started, ...given]).toHaveLength(1);
  expect({ started, given }).toEqual({ started: runs, given: givenUp });
});

it('people whose commands failed are all notified, even if the worker dies while it does that', async () => {
  const users = upTo(150).map((nth) => `A${nth}`);
  await Promise.all(users.map((user) => ask(user, 1)));
  let isDead = true;
  let dying = 100;
  const given = new Set<string>();
  const fails: Partial<ActOptions> = {
    perform: async () => {
      throw new UnrecoverableError('a fault');
    },
    giveUp: async (_, id) => {
      if (isDead || dying === 0) throw new Error('Connection is closed.');
      dying -= 1;
      given.add(id);
    },
  };
  work({ ...fails, followMs: 3_600_000 });
  await expect.poll(() => queue.getFailedCount()).toBe(150);
  await worker?.close();
  isDead = false;
  const next = connect(world.url);
  work({ ...fails, connection: next, followMs: 50 });
  await expect.poll(() => given.size).toBe(100);
  dying = 150;
  await expect.poll(() => given.size).toBe(150);
  await worker?.close();
  worker = undefined;
  await close(next);
});
