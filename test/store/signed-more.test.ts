import { describe, expect, it } from 'vitest';
import { createSeal, createStore } from '../../src/store/index.js';
import { testKeys, useStore } from '../support/redis.js';

const at = useStore();
const ada = { team: 'T1', user: 'U1' };
const [newer = '', older = ''] = testKeys.split(',');
const by = (keys: string) => createStore({ redis: at.redis, forgeId: 'f0', seal: createSeal(keys), now: at.now });
const forged = async () =>
  (await at.store.audit.read({ outcome: 'forged' })).rows.map(({ entry }) => `${entry.command} ${entry.target}`);

describe('a person’s settings', () => {
  const key = 'bellows:{f0:T1}:settings:U1';
  const agreed = { kinds: { assigned: false }, quiet: null, replies: 'on' } as const;

  it('count as set, and for nobody else', async () => {
    await at.store.settings.put(ada, agreed);
    expect(await at.store.settings.get(ada)).toEqual(agreed);
    await at.redis.set('bellows:{f0:T1}:settings:U2', (await at.redis.get(key)) ?? '');
    expect(await at.store.settings.get({ team: 'T1', user: 'U2' })).toEqual({ kinds: {}, quiet: null });
    await expect.poll(forged).toEqual(['(settings) T1 U2']);
  });

  it('do not count once someone else changed them', async () => {
    await at.store.settings.put(ada, { ...agreed, replies: 'off' });
    await at.redis.set(key, ((await at.redis.get(key)) ?? '').replace('"off"', '"on"'));
    expect(await at.store.settings.get(ada)).toEqual({ kinds: {}, quiet: null });
    await expect.poll(forged).toEqual(['(settings) T1 U1']);
  });

  it('do not count without a signature', async () => {
    await at.redis.set(key, JSON.stringify({ v: 1, ...agreed }));
    expect(await at.store.settings.get(ada)).toEqual({ kinds: {}, quiet: null });
  });

  it('are re-signed with the first key when read', async () => {
    await by(older).settings.put(ada, agreed);
    expect(await by(`${newer},${older}`).settings.get(ada)).toEqual(agreed);
    expect(await by(newer).settings.get(ada)).toEqual(agreed);
  });
});

describe.each(['follows', 'drains'] as const)('%s: what is checked later for someone', (family) => {
  it('does nothing and is reported if someone else wrote it', async () => {
    const common = { person: ada, since: at.now() };
    if (family === 'follows') await at.store.follows.put('a', { ...common, owner: 'acme', repo: 'engine', run: 1 }, 0);
    else await at.store.drains.put('a', { ...common, runner: 1, tell: true }, 0);
    const [all, due] = [`bellows:{f0:${family}}:all`, `bellows:{f0:${family}}:due`];
    await at.redis.hset(all, 'b', (await at.redis.hget(all, 'a')) ?? '');
    await at.redis.zadd(due, 0, 'b');
    expect((await at.store[family].due(1_000)).map(({ id }) => id)).toEqual(['a']);
    expect(await at.redis.hkeys(all)).toEqual(['a']);
    await expect.poll(forged).toEqual([`(${family.slice(0, -1)}) b`]);
  });
});

it('an account copied from another person counts as none, and is reported', async () => {
  const credential = { kind: 'token', token: 't' } as const;
  await at.store.accounts.put(ada, { login: 'ada', forgeUserId: 9, verified: true, credential });
  const key = 'bellows:{f0:T1}:accounts';
  await at.redis.hset(key, 'U2', (await at.redis.hget(key, 'U1')) ?? '');
  expect(await at.store.accounts.get({ team: 'T1', user: 'U2' })).toMatchObject({ state: 'revoked', verified: false });
  await expect.poll(forged).toEqual(['(account) T1/U2']);
});

it('an account of a key that was removed is no forged one', async () => {
  const credential = { kind: 'token', token: 't' } as const;
  await by(older).accounts.put(ada, { login: 'ada', forgeUserId: 9, verified: true, credential });
  const after = by(newer);
  expect(await after.accounts.get(ada)).toMatchObject({ state: 'revoked' });
  await after.audit.append({ who: ada, command: 'last', args: {}, outcome: 'done' });
  expect((await after.audit.read()).rows.map(({ entry }) => entry.command)).toEqual(['last']);
});

it('nobody is found by a login that is only in Redis', async () => {
  const credential = { kind: 'token', token: 't' } as const;
  await at.store.accounts.put(ada, { login: 'mallory', forgeUserId: 9, verified: true, credential });
  const key = 'bellows:{f0:T1}:accounts';
  const { signed: _, ...row } = JSON.parse((await at.redis.hget(key, 'U1')) ?? '{}');
  await at.redis.hset(key, 'U1', JSON.stringify({ ...row, login: 'grace' }));
  await at.redis.zadd('bellows:{f0:T1}:account-index', 0, 'login grace U1');
  expect(await at.store.accounts.findByLogin('T1', 'grace')).toEqual([]);
});
