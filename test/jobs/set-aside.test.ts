import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ActJob } from '../../src/chat/act-job.js';
import { createActWorker } from '../../src/jobs/act.js';
import { createQueue } from '../../src/jobs/queues.js';
import { sealJob } from '../../src/jobs/sealed-job.js';
import { createWatched } from '../../src/jobs/set-aside.js';
import { createLog } from '../../src/log.js';
import { close, connect } from '../../src/store/index.js';
import { useStore } from '../support/redis.js';

const world = useStore();
const log = createLog({ level: 'silent' });

/** Work that never ends, as left behind by a killed process. */
const killed = () => new Promise<void>(() => {});

describe('a record of the feed', () => {
  it('is set aside when five processes in a row died on it', async () => {
    for (let process = 0; process < 5; process += 1) {
      const begun = new Promise<void>((resolve) => {
        void createWatched(world.store, log)('poll-repo-7', () => {
          resolve();
          return killed();
        });
      });
      await begun;
    }
    const watched = createWatched(world.store, log);
    let ran = false;
    const run = async () => {
      ran = true;
    };
    expect(await watched('poll-repo-7', run)).toBe('aside');
    expect(ran).toBe(false);
    expect(await watched('poll-repo-8', run)).toBe('done');
  });

  it('starts counting again once it finished, even by failing', async () => {
    const watched = createWatched(world.store, log);
    for (let time = 0; time < 7; time += 1)
      await expect(watched('poll-repo-7', () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    expect(await watched('poll-repo-7', async () => {})).toBe('done');
  });

  it('is tried alone after a process died on it, so that only the culprit is counted further', async () => {
    void createWatched(world.store, log)('poll-repo-7', killed);
    await expect.poll(() => world.redis.keys('*stops*')).toHaveLength(1);
    void createWatched(world.store, log)('poll-repo-8', killed);
    await expect.poll(() => world.redis.keys('*stops*')).toHaveLength(2);
    const watched = createWatched(world.store, log);
    let finish = () => {};
    const first = watched('poll-repo-7', () => new Promise((resolve) => (finish = resolve)));
    await expect.poll(() => watched('poll-repo-8', async () => {})).toBe('later');
    finish();
    expect(await first).toBe('done');
    expect(await watched('poll-repo-8', async () => {})).toBe('done');
  });
});

describe('a command', () => {
  let blocking: ReturnType<typeof connect>;
  let queue: ReturnType<typeof createQueue>;
  beforeEach(() => {
    blocking = connect(world.url);
    queue = createQueue('act', { connection: world.redis, forgeId: 'f0' });
  });
  afterEach(async () => {
    await queue.close();
    await close(blocking);
  });

  it('that stopped its worker three times is not run again, and its person is notified', async () => {
    const job: ActJob = {
      v: 1,
      kind: 'undo',
      undo: 'x',
      person: { team: 'T1', user: 'U1' },
      answer: {},
      acceptedAt: Date.now(),
    };
    for (const [id, stops] of [
      ['j-poison', 3],
      ['j-unlucky', 2],
    ] as const) {
      await queue.add('undo', sealJob(world.store, job, id), { jobId: id });
      // as BullMQ counts a job whose lock expired
      await world.redis.hset(`{bellows:f0:act}:act:${id}`, 'stc', stops);
    }
    const done: string[] = [];
    const notified: string[] = [];
    const worker = createActWorker({
      connection: blocking,
      forgeId: 'f0',
      log,
      queue,
      store: world.store,
      now: Date.now,
      disown: async () => {},
      perform: async (_, id) => void done.push(id),
      giveUp: async (_, id) => void notified.push(id),
    });
    await expect.poll(() => queue.getCompletedCount(), { timeout: 10_000 }).toBe(2);
    await worker.close();
    expect(done).toEqual(['j-unlucky']);
    expect(notified).toEqual(['j-poison']);
  });
});
