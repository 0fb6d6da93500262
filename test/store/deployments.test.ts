import { expect, it } from 'vitest';
import type { Deployment } from '../../src/store/index.js';
import { deploymentOf } from '../support/deployment.js';
import { useStore } from '../support/redis.js';

const at = useStore();
const record = (id: string, more: Partial<Deployment> = {}): Deployment => deploymentOf({ id, startedAt: 1, ...more });

it('lets one of many start in an environment, and names it to the others', async () => {
  const { deployments } = at.store;
  const ids = ['d1', 'd2', 'd3', 'd4'];
  const all = await Promise.all(ids.map((id) => deployments.begin(record(id))));
  const [winner = ''] = ids.filter((_id, nth) => all[nth]?.begun);
  expect(all.filter(({ begun }) => begun)).toHaveLength(1);
  expect(all.flatMap((each) => (each.begun ? [] : each.current.id))).toEqual([winner, winner, winner]);
  expect((await deployments.list('production')).map(({ id }) => id)).toEqual([winner]);
  expect(await deployments.begin(record('d9', { environment: 'staging' }))).toEqual({ begun: true });
});

it('resumes with its current record, and is released only by its holder', async () => {
  const { deployments } = at.store;
  await deployments.begin(record('d1'));
  await deployments.put(record('d1', { state: 'running', run: 7 }));
  expect(await deployments.begin(record('d1'))).toEqual({ begun: true });
  expect(await deployments.current('production')).toMatchObject({ state: 'running', run: 7 });
  await deployments.release('production', 'd2');
  expect(await deployments.begin(record('d2'))).toMatchObject({ begun: false, current: { id: 'd1' } });
  await deployments.release('production', 'd1');
  expect(await deployments.begin(record('d2'))).toEqual({ begun: true });
});

it('does not count a record or a freeze that was copied from another environment, and says so', async () => {
  const { deployments } = at.store;
  const key = (environment: string, part: string) => `bellows:{f0:deploys:${environment}}:${part}`;
  await deployments.put(record('d1', { environment: 'staging', state: 'succeeded' }));
  const by = { team: 'T1', user: 'U1', login: 'ada' };
  // Redis ends it by its own clock
  await deployments.freeze('staging', { by, until: Date.now() + 3_600_000 });
  const copied = (await at.redis.hget(key('staging', 'records'), 'd1')) ?? '';
  await at.redis.hset(key('production', 'records'), 'd1', copied);
  await at.redis.set(key('production', 'freeze'), (await at.redis.get(key('staging', 'freeze'))) ?? '');
  expect(await deployments.last('production')).toBeUndefined();
  expect(await deployments.freezeOf('production')).toBeUndefined();
  const alarms = async () => (await at.store.audit.read({ outcome: 'forged' })).rows.map(({ entry }) => entry.target);
  await expect.poll(alarms).toEqual(expect.arrayContaining(['production d1', 'freeze of production']));
  expect(await deployments.last('staging')).toMatchObject({ id: 'd1' });
  expect(await deployments.freezeOf('staging')).toMatchObject({ by });
});
