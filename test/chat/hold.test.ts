import { expect, it } from 'vitest';
import { guardWrites, Overtaken, SentBefore } from '../../src/chat/hold.js';
import { useStore } from '../support/redis.js';

const at = useStore();
const guard = (effect: 'once' | 'idempotent', held = true) =>
  guardWrites(at.store, { id: 'j-1', effect, held: async () => held });

it('stops the first write of a job that was lost, or reported as not accepted', async () => {
  await expect(guard('idempotent', false)()).rejects.toThrow(Overtaken);
  await guard('idempotent')();
  await at.store.jobs.mark('j-1', 'abandoned');
  await expect(guard('idempotent')()).rejects.toThrow(Overtaken);
});

it('lets a job write once, and its later writes through', async () => {
  const first = guard('once');
  await first();
  await first();
  await expect(guard('once')()).rejects.toThrow(SentBefore);
});
