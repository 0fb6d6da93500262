import { expect, it } from 'vitest';
import { useStore } from '../support/redis.js';

const at = useStore();
const where = { place: { team: 'T1', channel: 'C1' }, target: { kind: 'repo', id: 12 } } as const;

it('an offer to own a subscription stands for a week', async () => {
  await at.store.handovers.offer(where, 'U2', 'U1');
  at.pass(7 * 86_400_000);
  expect(await at.store.handovers.get(where)).toMatchObject({ to: 'U2', from: 'U1' });
  at.pass(1);
  expect(await at.store.handovers.get(where)).toBeUndefined();
});
