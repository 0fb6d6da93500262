import { expect, it } from 'vitest';
import type { Deployment } from '../../src/store/index.js';
import { useStore } from '../support/redis.js';

const at = useStore();
const record = (id: string, more: Partial<Deployment> = {}): Deployment => ({
  id,
  environment: 'production',
  repository: { owner: 'acme', repo: 'engine' },
  workflow: 'deploy.yml',
  ref: 'refs/heads/main',
  sha: 'f00d',
  from: null,
  by: { team: 'T1', user: 'U1', login: 'ada' },
  approvers: [],
  breakGlass: null,
  channel: 'C1',
  approval: null,
  run: null,
  attempt: 1,
  url: '',
  otherCommit: null,
  rollback: null,
  state: 'starting',
  startedAt: 1,
  endedAt: null,
  ...more,
});

it('lets one of many begin in an environment, and names it to the others', async () => {
  const { deployments } = at.store;
  const ids = ['d1', 'd2', 'd3', 'd4'];
  const others = await Promise.all(ids.map((id) => deployments.begin(record(id))));
  const [winner = ''] = ids.filter((_id, nth) => others[nth] === undefined);
  expect(others.filter((other) => other === undefined)).toHaveLength(1);
  expect(others.flatMap((other) => other?.id ?? [])).toEqual([winner, winner, winner]);
  expect((await deployments.list('production')).map(({ id }) => id)).toEqual([winner]);
  expect(await deployments.begin(record('d9', { environment: 'staging' }))).toBeUndefined();
});

it('begins again as it stands by now, and only who holds it makes room', async () => {
  const { deployments } = at.store;
  await deployments.begin(record('d1'));
  await deployments.put(record('d1', { state: 'running', run: 7 }));
  expect(await deployments.begin(record('d1'))).toBeUndefined();
  expect(await deployments.current('production')).toMatchObject({ state: 'running', run: 7 });
  await deployments.release('production', 'd2');
  expect(await deployments.begin(record('d2'))).toMatchObject({ id: 'd1' });
  await deployments.release('production', 'd1');
  expect(await deployments.begin(record('d2'))).toBeUndefined();
});
