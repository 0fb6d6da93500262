import { describe, expect, it } from 'vitest';
import { createWatched } from '../../src/jobs/set-aside.js';
import { createLog } from '../../src/log.js';
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
