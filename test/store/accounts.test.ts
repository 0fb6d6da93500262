import { describe, expect, it } from 'vitest';
import { createPeople, createSeal, createStore } from '../../src/store/index.js';
import { allKeys, strayKeys, testKey, testKeys, useStore } from '../support/redis.js';

const ada = { team: 'T1', user: 'U1' };
const bob = { team: 'T1', user: 'U2' };
const link = {
  login: 'Ada',
  forgeUserId: 42,
  verified: true,
  scopes: ['write:issue'],
  credential: { kind: 'token', token: 'sesame-token' },
} as const;

const at = useStore();

describe('accounts', () => {
  it('keeps a person’s forge account', async () => {
    await at.store.accounts.put(ada, link);
    expect(await at.store.accounts.get(ada)).toEqual({
      person: ada,
      login: 'Ada',
      forgeUserId: 42,
      verified: true,
      scopes: ['write:issue'],
      linkedAt: at.now(),
      state: 'active',
    });
    expect(await at.store.accounts.get(bob)).toBeUndefined();
    expect(await strayKeys(at.redis)).toEqual([]);
  });

  it('returns the credential, and keeps it sealed', async () => {
    await at.store.accounts.put(ada, link);
    expect(await at.store.accounts.credential(ada)).toEqual(link.credential);
    expect(JSON.stringify(await at.redis.hgetall('bellows:{f0:T1}:accounts'))).not.toContain('sesame');
  });

  it('finds people by login, whatever its case, and by forge user', async () => {
    await at.store.accounts.put(ada, link);
    at.pass(1000);
    await at.store.accounts.put(bob, { ...link, login: 'bob', forgeUserId: 43 });
    expect((await at.store.accounts.findByLogin('T1', 'ADA')).map(({ person }) => person)).toEqual([ada]);
    expect((await at.store.accounts.findByForgeUser('T1', 43)).map(({ person }) => person)).toEqual([bob]);
    expect(await at.store.accounts.findByForgeUser('T1', 4)).toEqual([]);
    expect(await at.store.accounts.findByLogin('T2', 'ada')).toEqual([]);
  });

  it('forgets the old login when a person links another', async () => {
    await at.store.accounts.put(ada, link);
    await at.store.accounts.put(ada, { ...link, login: 'grace', forgeUserId: 50 });
    expect(await at.store.accounts.findByLogin('T1', 'ada')).toEqual([]);
    expect(await at.store.accounts.findByForgeUser('T1', 42)).toEqual([]);
    expect(await at.store.accounts.findByLogin('T1', 'grace')).toHaveLength(1);
  });

  it('stores a changed login beside a credential that is renewed meanwhile', async () => {
    const old = { kind: 'oauth', access: 'a1', refresh: 'r1', expiresAt: 1 } as const;
    const next = { ...old, access: 'a2', refresh: 'r2' };
    const account = await at.store.accounts.put(ada, { ...link, credential: old });
    const [, renewed] = await Promise.all([
      at.store.accounts.rename(account, 'Lovelace'),
      at.store.renewals.put(ada, old, next),
    ]);
    expect(renewed).toBe(true);
    expect(await at.store.accounts.credential(ada)).toEqual(next);
    expect(await at.store.accounts.get(ada)).toMatchObject({ login: 'Lovelace', verified: true, forgeUserId: 42 });
    expect(await at.store.accounts.findByLogin('T1', 'ada')).toEqual([]);
    expect(await at.store.accounts.findByLogin('T1', 'lovelace')).toHaveLength(1);
    await at.store.accounts.rename({ ...account, linkedAt: 0 }, 'other');
    expect((await at.store.accounts.get(ada))?.login).toBe('Lovelace');
  });

  it('maps nobody to a sign-in the forge did not confirm', async () => {
    await at.store.accounts.put(ada, { ...link, verified: false, forgeUserId: null });
    expect(await at.store.accounts.findByLogin('T1', 'ada')).toEqual([]);
    expect((await at.store.accounts.get(ada))?.verified).toBe(false);
  });

  it('reports a revoked credential once, until the person links again', async () => {
    const { linkedAt } = await at.store.accounts.put(ada, link);
    expect(await at.store.accounts.markRevoked(ada, linkedAt)).toBe(true);
    expect(await at.store.accounts.markRevoked(ada, linkedAt)).toBe(false);
    expect((await at.store.accounts.get(ada))?.state).toBe('revoked');
    at.pass(1);
    await at.store.accounts.put(ada, link);
    expect(await at.store.accounts.markRevoked(ada, linkedAt)).toBe(false);
    expect((await at.store.accounts.get(ada))?.state).toBe('active');
  });

  it('forgets everything about a person, and nothing about others', async () => {
    await at.store.accounts.put(ada, link);
    await at.store.pending.put(ada, { text: 'issue close' });
    await at.store.settings.put(ada, { kinds: {}, quiet: null });
    expect(await at.store.accounts.forget(ada)).toBe(true);
    expect(await at.store.accounts.forget(ada)).toBe(false);
    expect(await allKeys(at.redis)).toEqual(['bellows:f0:teams']);
  });

  it('lists the people of a workspace', async () => {
    await at.store.accounts.put(ada, link);
    const { linkedAt } = await at.store.accounts.put(bob, { ...link, login: 'bob', forgeUserId: 43 });
    await at.store.accounts.markRevoked(bob, linkedAt);
    const list = await at.store.accounts.list('T1');
    expect(list.map(({ login, state }) => `${login} ${state}`).sort()).toEqual(['Ada active', 'bob revoked']);
    expect(await at.store.accounts.teams()).toEqual(['T1']);
  });

  it('reseals credentials with the newest key', async () => {
    const [k1, k2] = [testKey(0), testKey(7)];
    const withKeys = (text: string) =>
      createStore({ redis: at.redis, forgeId: 'f0', seal: createSeal(text), now: at.now });
    await at.store.accounts.put(ada, link);
    const both = withKeys(`k2:${k2},k1:${k1}`);
    expect(await both.accounts.reseal('T1')).toBe(1);
    expect(await both.accounts.reseal('T1')).toBe(0);
    expect(await withKeys(`k2:${k2}`).accounts.credential(ada)).toEqual(link.credential);
  });
});

describe('people', () => {
  const config = {
    origin: 'config',
    personOf: async (_: string, login: string) => (login === 'bob' || login === 'ada' ? bob : undefined),
    loginOf: async () => 'bob',
  } as const;

  it('prefers a link over the config', async () => {
    await at.store.accounts.put(ada, link);
    const people = createPeople(at.store.accounts, [config]);
    expect(await people.whoIs('T1', 'ada')).toEqual({ person: ada, login: 'ada', origin: 'link' });
    expect(await people.whoIs('T1', 'bob')).toEqual({ person: bob, login: 'bob', origin: 'config' });
    expect(await people.whoIs('T1', 'eve')).toBeUndefined();
    expect(await people.loginOf(ada)).toBe('Ada');
    expect(await people.loginOf(bob)).toBe('bob');
  });
});

describe('an account that someone changed in Redis', () => {
  const key = 'bellows:{f0:T1}:accounts';
  const change = async (from: string | RegExp, to: string) => {
    const text = (await at.redis.hget(key, 'U1')) ?? '';
    await at.redis.hset(key, 'U1', text.replace(from, to));
    return at.store.accounts.get(ada);
  };

  it.each([
    ['another forge user', '"forgeUserId":42', '"forgeUserId":7'],
    ['another login', '"login":"Ada"', '"login":"bob"'],
    ['more scopes', '["write:issue"]', '["all"]'],
    ['the time it was linked', /"linkedAt":\d+/, '"linkedAt":1'],
  ])('no longer counts: %s', async (_, from, to) => {
    await at.store.accounts.put(ada, link);
    expect(await change(from, to)).toMatchObject({ state: 'revoked', forgeUserId: null, verified: false });
    await expect.poll(async () => (await at.store.audit.read({ outcome: 'forged' })).rows).toHaveLength(1);
  });

  it('no longer counts with an earlier credential of the same person', async () => {
    await at.store.accounts.put(ada, { ...link, forgeUserId: 7 });
    const [before = ''] = /"credential":"[^"]+"/.exec((await at.redis.hget(key, 'U1')) ?? '') ?? [];
    await at.store.accounts.put(ada, link);
    expect(await change(/"credential":"[^"]+"/, before)).toMatchObject({ state: 'revoked', verified: false });
  });

  it('cannot be used under another name, nor be found under another login', async () => {
    await at.store.accounts.put(ada, link);
    await at.redis.hset(key, 'U2', (await at.redis.hget(key, 'U1')) ?? '');
    expect(await at.store.accounts.get(bob)).toMatchObject({ state: 'revoked', verified: false });
    expect(await at.store.accounts.credential(bob)).toBeUndefined();
    await at.redis.zadd('bellows:{f0:T1}:account-index', 0, 'login grace U1', 0, 'id 8 U1');
    expect(await at.store.accounts.findByLogin('T1', 'grace')).toEqual([]);
    expect(await at.store.accounts.findByForgeUser('T1', 8)).toEqual([]);
    expect(await at.store.accounts.findByForgeUser('T1', 42)).toHaveLength(1);
  });

  it('is not signed when its login changes at the forge', async () => {
    const account = await at.store.accounts.put(ada, link);
    await change('"forgeUserId":42', '"forgeUserId":7');
    await at.store.accounts.rename(account, 'Lovelace');
    expect(await at.store.accounts.get(ada)).toMatchObject({ state: 'revoked', forgeUserId: null, verified: false });
  });

  it('is not signed when its credential is renewed, if someone else changed it', async () => {
    const old = { kind: 'oauth', access: 'a1', refresh: 'r1', expiresAt: 1 } as const;
    const next = { ...old, access: 'a2' };
    await at.store.accounts.put(ada, { ...link, credential: old });
    await change('"forgeUserId":42', '"forgeUserId":7');
    expect(await at.store.renewals.put(ada, old, next)).toBe(true);
    expect(await at.store.accounts.get(ada)).toMatchObject({ state: 'revoked', forgeUserId: null, verified: false });
  });

  it('stays confirmed under a new key, and a changed one is not signed with it', async () => {
    const [newer = '', older = ''] = testKeys.split(',');
    const by = (keys: string) =>
      createStore({ redis: at.redis, forgeId: 'f0', seal: createSeal(keys), now: at.now }).accounts;
    await by(older).put(ada, link);
    expect(await by(testKeys).reseal('T1')).toBe(1);
    expect(await by(newer).get(ada)).toMatchObject({ state: 'active', forgeUserId: 42, verified: true });
    await by(older).put(ada, link);
    await change('"forgeUserId":42', '"forgeUserId":7');
    await by(testKeys).reseal('T1');
    expect(await by(newer).get(ada)).toMatchObject({ state: 'revoked', verified: false });
  });
});

describe('a command that waits for sign-in', () => {
  it('is returned in order, and is not readable until then', async () => {
    await at.store.pending.put(ada, { text: 'key add --secret sesame' });
    expect(String(await at.redis.lrange('bellows:{f0:T1}:pending:U1', 0, -1))).not.toContain('sesame');
    expect(await at.redis.ttl('bellows:{f0:T1}:pending:U1')).toBeGreaterThan(1790);
    await at.store.pending.put(ada, { text: 'issue close' });
    for (const text of ['key add --secret sesame', 'issue close']) {
      const first = await at.store.pending.first(ada);
      expect(first?.command).toEqual({ text });
      await first?.drop();
    }
    expect(await at.store.pending.first(ada)).toBeUndefined();
  });
});
