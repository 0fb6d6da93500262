import { describe, expect, it } from 'vitest';
import { createSeal, createStore } from '../../src/store/index.js';
import { useStore } from '../support/redis.js';

const test = useStore();
const day = 86_400_000;
const ada = { team: 'T1', user: 'U1' };
const [old = '', fresh = ''] = [2, 3].map((byte) => `k${byte}:${Buffer.alloc(32, byte).toString('base64')}`);

const made = (id = 'aaaaaaaaaaaa', more: { readonly user?: string; readonly expiresAt?: number } = {}) => ({
  ...{ id, ...ada, name: 'Bot', may: ['issue *'], repos: [], meant: {}, pace: 30, channel: null },
  ...{ login: 'ada', forgeUserId: 1, linkedAt: 1, expiresAt: test.now() + day, ...more },
});
const withKeys = (keys: string) =>
  createStore({ redis: test.redis, forgeId: 'f0', seal: createSeal(keys), now: test.now });

describe('agents', () => {
  it('are identified by their token alone, until they expire', async () => {
    const { agent, token } = await test.store.agents.put(made());
    expect(await test.store.agents.byToken(token)).toEqual(agent);
    for (const wrong of ['', token.slice(0, -1), `${token}x`, token.replace('aaaaaaaaaaaa', 'bbbbbbbbbbbb')])
      expect(await test.store.agents.byToken(wrong)).toBeUndefined();
    test.pass(day);
    expect(await test.store.agents.byToken(token)).toBeUndefined();
    expect(await test.store.agents.ownedBy(ada)).toHaveLength(1);
  });

  it('have one token each: another put invalidates the previous one', async () => {
    const first = await test.store.agents.put(made());
    const second = await test.store.agents.put(made());
    expect(await test.store.agents.byToken(first.token)).toBeUndefined();
    expect(await test.store.agents.byToken(second.token)).toBeDefined();
  });

  it('are removed a week after they expired, when the next one is created', async () => {
    await test.store.agents.put(made());
    await test.store.agents.recordUse('aaaaaaaaaaaa');
    test.pass(8 * day);
    await test.store.agents.put(made('cccccccccccc', { expiresAt: test.now() - 8 * day }));
    expect(await test.store.agents.all()).toHaveLength(2);
    test.pass(1);
    await test.store.agents.put(made('bbbbbbbbbbbb'));
    expect((await test.store.agents.all()).map(({ id }) => id)).toEqual(['bbbbbbbbbbbb']);
    expect((await test.store.agents.lastUsed()).size).toBe(0);
  });

  it('are removed with their person, and nobody else’s are', async () => {
    await test.store.agents.put(made());
    const other = await test.store.agents.put(made('bbbbbbbbbbbb', { user: 'U2' }));
    const elsewhere = await test.store.agents.put({ ...made('cccccccccccc'), team: 'T2' });
    expect(await test.store.agents.forget(ada)).toBe(1);
    const left = await test.store.agents.all();
    expect(left).toHaveLength(2);
    expect(left).toEqual(expect.arrayContaining([other.agent, elsewhere.agent]));
  });

  it('are removed once, and not counted where someone else wrote them', async () => {
    await test.store.agents.put(made());
    const [key = ''] = await test.redis.keys('bellows:*agents*');
    const record = (await test.redis.hget(key, 'aaaaaaaaaaaa')) ?? '';
    expect(record).toContain('Bot');
    await test.redis.hset(key, 'bbbbbbbbbbbb', record);
    expect((await test.store.agents.all()).map(({ id }) => id)).toEqual(['aaaaaaaaaaaa']);
    expect(await test.store.agents.remove('aaaaaaaaaaaa')).toBe(true);
    expect(await test.store.agents.remove('aaaaaaaaaaaa')).toBe(false);
  });

  it('are resealed with a new key, and invalid under a lost one', async () => {
    const { token } = await withKeys(old).agents.put(made());
    expect(await withKeys(fresh).agents.byToken(token)).toBeUndefined();
    expect(await withKeys(`${fresh},${old}`).agents.resign()).toBe(1);
    expect(await withKeys(fresh).agents.byToken(token)).toBeDefined();
    expect(await withKeys(old).agents.byToken(token)).toBeUndefined();
  });
});

describe('calls', () => {
  it('are returned to their agent, for a day', async () => {
    const call = { id: 'j-1', agent: 'aaaaaaaaaaaa' };
    await test.store.calls.put(call, { state: 'done', text: 'Closed #12' });
    expect(await test.store.calls.get(call)).toEqual({ state: 'done', text: 'Closed #12' });
    expect(await test.store.calls.get({ ...call, agent: 'bbbbbbbbbbbb' })).toBeUndefined();
    expect(await test.redis.ttl('bellows:f0:call:j-1')).toBeGreaterThan(86_000);
    const [key = ''] = await test.redis.keys('bellows:f0:call:*');
    await test.redis.copy(key, 'bellows:f0:call:j-2');
    expect(await test.store.calls.get({ ...call, id: 'j-2' })).toBeUndefined();
  });
});
