import { expect, it } from 'vitest';
import { readBacklog } from '../../src/http/metrics.js';
import { useStore } from '../support/redis.js';

const at = useStore();

it('counts the sources without reading what is known about each', async () => {
  for (const source of ['repo-1', 'repo-2', 'repo-3']) await at.store.sources.ensure(source, { name: source });
  await at.store.sources.drop('repo-3');
  // reading the states would fail now
  await at.redis.set('bellows:{f0:sources}:state', 'unreadable');
  at.pass(5_000);
  expect(await readBacklog(at.store, at.now())).toMatchObject({
    sources: 2,
    lags: { woken: 0, due: 5_000, inboxes: 0 },
  });
});
