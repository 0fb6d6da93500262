import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { close, connect, createSeal, createStore, type Forged, type Store } from '../../src/store/index.js';
import { freshRedis, testKeys } from '../support/redis.js';

const ada = { team: 'T1', user: 'U1' };
const grace = { team: 'T1', user: 'U2' };
const account = {
  login: 'ada',
  forgeUserId: 1,
  credential: { kind: 'oauth', access: 'access-secret', refresh: 'refresh-secret', expiresAt: 1 },
} as const;

let store: Store;
let now = Date.parse('2026-11-15T12:00:00Z');
const alarms: Forged[] = [];
let end: () => Promise<unknown>;
beforeAll(async () => {
  const fresh = await freshRedis();
  const redis = connect(fresh.url);
  end = async () => {
    await close(redis);
    await fresh.close();
  };
  store = createStore({
    redis,
    forgeId: 'f',
    seal: createSeal(testKeys),
    now: () => now,
    onForged: (forged) => void alarms.push(forged),
  });
});
afterAll(() => end());

const key = (start: string) => store.redis.keys(`bellows:*${start}*`);

describe('the state of a sign-in', () => {
  it('works once, for the person who started it', async () => {
    const state = (await store.signIns.begin(ada, 'verifier')) ?? '';
    expect(await store.signIns.take(state)).toMatchObject({ person: ada, verifier: 'verifier' });
    expect(await store.signIns.take(state)).toBeUndefined();
  });

  it('is invalid after ten minutes, even if Redis kept it', async () => {
    const state = (await store.signIns.begin(ada, 'verifier')) ?? '';
    const [name = ''] = await key('sign-in:');
    await store.redis.persist(name);
    now += 600_000;
    expect(await store.signIns.take(state)).toBeUndefined();
  });

  it('is in Redis only by its hash, sealed', async () => {
    const state = (await store.signIns.begin(ada, 'a-verifier-of-ours')) ?? '';
    const [name = ''] = await key('sign-in:');
    expect(name).not.toContain(state);
    expect(await store.redis.get(name)).not.toContain('a-verifier-of-ours');
    // someone else's record under this name
    const other = (await store.signIns.begin(grace, 'theirs')) ?? '';
    const names = await key('sign-in:');
    const otherName = names.find((each) => each !== name) ?? '';
    await store.redis.set(name, (await store.redis.get(otherName)) ?? '');
    expect(await store.signIns.take(state)).toBeUndefined();
    expect(await store.signIns.take(other)).toMatchObject({ person: grace });
  });
});

describe('an account waiting for confirmation in Slack', () => {
  it('is linked by its number, and not by another', async () => {
    const code = await store.signIns.offer(ada, account);
    expect(code).toMatch(/^\d{6}$/);
    const wrong = code === '000000' ? '000001' : '000000';
    expect(await store.signIns.redeem(ada, wrong)).toBe('wrong');
    expect(await store.signIns.redeem(grace, code)).toBeUndefined();
    expect(await store.signIns.redeem(ada, code)).toMatchObject({ login: 'ada' });
  });

  it('is deleted after three wrong numbers', async () => {
    const code = await store.signIns.offer(ada, account);
    const wrong = code === '000000' ? '000001' : '000000';
    for (let tried = 0; tried < 3; tried += 1) expect(await store.signIns.redeem(ada, wrong)).toBe('wrong');
    expect(await store.signIns.redeem(ada, code)).toBeUndefined();
  });

  it('expires after ten minutes, even if Redis kept it', async () => {
    const code = await store.signIns.offer(ada, account);
    await store.redis.persist((await key('link-offer:U1'))[0] ?? '');
    now += 600_000;
    expect(await store.signIns.redeem(ada, code)).toBeUndefined();
  });

  it('contains no plain token, and counts for nobody else when copied', async () => {
    const code = await store.signIns.offer(ada, account);
    const [name = ''] = await key('link-offer:U1');
    const record = await store.redis.hgetall(name);
    expect(JSON.stringify(record)).not.toMatch(/access-secret|refresh-secret/);
    expect(JSON.stringify(record)).not.toContain(code);
    await store.redis.hset(name.replace('U1', 'U2'), record);
    expect(await store.signIns.redeem(grace, code)).toBeUndefined();
    expect(alarms).toMatchObject([{ kind: 'link offer', person: grace }]);
  });

  it('is deleted with everything else of its person on signing out', async () => {
    const code = await store.signIns.offer(ada, account);
    await store.accounts.forget(ada);
    expect(await store.signIns.redeem(ada, code)).toBeUndefined();
  });
});
