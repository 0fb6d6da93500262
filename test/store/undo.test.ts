import { describe, expect, it } from 'vitest';
import { strayKeys, useStore } from '../support/redis.js';

const ada = { team: 'T1', user: 'U1' };
const bob = { team: 'T1', user: 'U2' };
const at = useStore();

describe('undo', () => {
  it('returns the old value', async () => {
    await at.store.undo.put(ada, 'u1', { title: 'old' });
    expect(await strayKeys(at.redis)).toEqual([]);
    expect(await at.store.undo.get(ada, 'u1')).toEqual({ title: 'old' });
  });

  it('is only for the person who acted', async () => {
    await at.store.undo.put(ada, 'u1', { title: 'old' });
    expect(await at.store.undo.get(bob, 'u1')).toBeUndefined();
    expect(await at.store.undo.get(ada, 'u1')).toEqual({ title: 'old' });
  });

  it('ends after a few minutes', async () => {
    await at.store.undo.put(ada, 'u1', { title: 'old' });
    at.pass(5 * 60_000);
    expect(await at.store.undo.get(ada, 'u1')).toBeUndefined();
  });

  it('is not extended by writing another time beside it, nor read as someone else’s', async () => {
    const key = 'bellows:{f0:T1}:undo:U1';
    await at.store.undo.put(ada, 'u1', { title: 'old' });
    const text = (await at.redis.hget(key, 'u1')) ?? '';
    at.pass(5 * 60_000);
    await at.redis.hset(key, 'u1', text.replace(/"expiresAt":\d+/, `"expiresAt":${at.now() + 1000}`));
    expect(await at.store.undo.get(ada, 'u1')).toBeUndefined();
    await at.store.undo.put(ada, 'u2', { title: 'old' });
    await at.redis.hset('bellows:{f0:T1}:undo:U2', 'u2', (await at.redis.hget(key, 'u2')) ?? '');
    expect(await at.store.undo.get(bob, 'u2')).toBeUndefined();
  });

  it('is not read as another change of the same person', async () => {
    const key = 'bellows:{f0:T1}:undo:U1';
    await at.store.undo.put(ada, 'u1', { title: 'old' });
    await at.redis.hset(key, 'u2', (await at.redis.hget(key, 'u1')) ?? '');
    expect(await at.store.undo.get(ada, 'u2')).toBeUndefined();
  });

  it('removes what is too old when something new is stored', async () => {
    await at.store.undo.put(ada, 'u1', { title: 'old' });
    at.pass(5 * 60_000);
    await at.store.undo.put(ada, 'u2', { title: 'newer' });
    expect(await at.redis.hkeys('bellows:{f0:T1}:undo:U1')).toEqual(['u2']);
    expect(await at.redis.pttl('bellows:{f0:T1}:undo:U1')).toBeGreaterThan(290_000);
  });
});
