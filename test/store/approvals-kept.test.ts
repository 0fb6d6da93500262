import { describe, expect, it } from 'vitest';
import { type Party, samePerson } from '../../src/store/index.js';
import { asked, party } from '../support/asked.js';
import { useStore } from '../support/redis.js';

const at = useStore();
const ada = party('U1', 1);
const bob = party('U2', 2);
const cy = party('U3', 3);
const key = (id = 'a1') => `bellows:{f0:approvals}:item:${id}`;
const ask = (id = 'a1', policy: Parameters<typeof asked>[2] = {}, args: unknown = { of: id }) =>
  at.store.approvals.create(asked(at.now(), { id }, policy), args);
const approve = (by: Party, id = 'a1') => at.store.approvals.decide(id, { by, verdict: 'approve' });
const deny = (by: Party, id = 'a1') => at.store.approvals.decide(id, { by, verdict: 'deny' });
const alarms = async () =>
  (await at.store.audit.read({ outcome: 'forged' })).rows.map(({ entry }) => `${entry.command} ${entry.target}`);

describe('someone who can write to Redis', () => {
  it('does not run one request with the arguments of another', async () => {
    await ask('a1');
    await ask('a2');
    await at.redis.hset(key('a1'), 'args', (await at.redis.hget(key('a2'), 'args')) ?? '');
    expect(await at.store.approvals.args('a1')).toBeUndefined();
    expect(await at.store.approvals.args('a9')).toBeUndefined();
  });

  it('does not put one request, result or vote in the place of another', async () => {
    await ask('a1', { needed: 2 });
    await ask('a2', { needed: 2 });
    await approve(bob, 'a2');
    const vote = (await at.redis.hget(key('a2'), 'by T1/U2')) ?? '';
    await at.redis.hset(key('a1'), 'by T1/U2', vote);
    await at.redis.hset(key('a2'), 'by T1/U3', vote);
    expect((await at.store.approvals.get('a1'))?.decisions).toEqual([]);
    expect((await at.store.approvals.get('a2'))?.decisions.map(({ by }) => by.user)).toEqual(['U2']);
    await expect.poll(alarms).toEqual(expect.arrayContaining(['(vote) a1 T1/U2', '(vote) a2 T1/U3']));
    expect(await alarms()).not.toContain('(approval) a1');
    await at.redis.hset(key('a1'), 'result', (await at.redis.hget(key('a1'), 'ask')) ?? '');
    expect((await at.store.approvals.get('a1'))?.result).toBeUndefined();
    await at.redis.hset(key('a1'), 'ask', (await at.redis.hget(key('a2'), 'ask')) ?? '');
    expect(await at.store.approvals.get('a1')).toBeUndefined();
    await expect.poll(alarms).toContain('(approval) a1');
  });

  it('raises no alarm for what is merely absent', async () => {
    expect(await at.store.approvals.get('none')).toBeUndefined();
    await at.redis.hset(key('half'), 'count', '1');
    expect(await at.store.approvals.get('half')).toBeUndefined();
    expect(await alarms()).toEqual([]);
    await at.redis.hset(key('half'), 'state', 'approved');
    expect(await at.store.approvals.get('half')).toBeUndefined();
    await expect.poll(alarms).toEqual(['(approval) half']);
  });
});

describe('a vote', () => {
  it('is listed in the order it was given', async () => {
    await ask('a1', { needed: 3 });
    await approve(cy);
    at.pass(5);
    await approve(bob);
    const names = async () => (await at.store.approvals.get('a1'))?.decisions.map(({ by }) => by.user);
    expect(await names()).toEqual(['U3', 'U2']);
    const [first = '', second = ''] = await at.redis.hmget(key(), 'by T1/U3', 'by T1/U2');
    await at.redis.hdel(key(), 'by T1/U3', 'by T1/U2');
    await at.redis.hset(key(), 'by T1/U2', second ?? '', 'by T1/U3', first ?? '');
    expect(await names()).toEqual(['U3', 'U2']);
  });

  it('is withdrawn completely, and only while it is open', async () => {
    await ask('a1', { needed: 2 });
    await approve(bob);
    expect(await at.store.approvals.unvote('a1', cy)).toBe(false);
    expect(await at.store.approvals.unvote('a1', bob)).toBe(true);
    expect(await at.redis.hexists(key(), 'forge 2')).toBe(0);
    expect(await approve(bob)).toBe('counted');
    expect(await approve(cy)).toBe('approved');
    expect(await at.store.approvals.unvote('a1', bob)).toBe(false);
  });

  it('by a person unknown to the forge is a denial or nothing, and blocks nobody', async () => {
    await ask('a1', { needed: 2 });
    expect(await approve(party('U5', null))).toBe('unconfirmed');
    expect(await deny(party('U5', null))).toBe('denied');
    expect(Object.keys(await at.redis.hgetall(key())).filter((name) => name.startsWith('forge'))).toEqual([]);
  });

  it('by the requester may deny, and approves only if the policy counts them', async () => {
    await ask('a1');
    expect(await approve(ada)).toBe('self');
    expect(await deny(ada)).toBe('denied');
    await ask('a2', { requesterCounts: true });
    expect(await approve(ada, 'a2')).toBe('approved');
  });

  it('after it expired says whether it was still open', async () => {
    await ask('a1');
    await ask('a2');
    await deny(bob, 'a2');
    at.pass(60_000);
    expect(await approve(bob)).toBe('expired');
    expect(await approve(bob, 'a2')).toBe('closed');
  });
});

describe('a request', () => {
  it('is withdrawn only by the requester', async () => {
    await ask();
    expect(await at.store.approvals.withdraw('a1', { team: 'T9', user: 'U1' })).toBe('not-yours');
    expect(await at.store.approvals.withdraw('a1', { team: 'T1', user: 'U9' })).toBe('not-yours');
    expect(await at.store.approvals.withdraw('a1', ada)).toBe('withdrawn');
  });

  it('is active until it is decided and announced, and remembers what was announced', async () => {
    await ask();
    expect((await at.store.approvals.active()).map(({ id }) => id)).toEqual(['a1']);
    expect((await at.store.approvals.get('a1'))?.announced).toBeUndefined();
    await at.store.approvals.announced('a1', 'open');
    expect((await at.store.approvals.get('a1'))?.announced).toBe('open');
  });

  it('that runs is held as long as it is renewed', async () => {
    await ask();
    await approve(bob);
    const claim = await at.store.approvals.claim('a1', 1_000);
    if (!claim) throw new Error('nobody else runs it');
    at.pass(900);
    expect(await at.store.approvals.renew(claim, 1_000)).toBe(true);
    at.pass(900);
    expect(await at.store.approvals.claim('a1', 1_000)).toBeUndefined();
    at.pass(200);
    expect(await at.store.approvals.claim('a1', 1_000)).toEqual({ id: 'a1', fence: 2 });
    expect(await at.store.approvals.renew(claim, 1_000)).toBe(false);
  });
});

describe('the same person', () => {
  it.each([
    ['in Slack', party('U1', 1), party('U1', 2), true],
    ['in another workspace is somebody else', party('U1', 1), party('U1', 2, 'T2'), false],
    ['at the forge', party('U1', 1), party('U2', 1, 'T2'), true],
    [
      'by login where the forge gave no id',
      { ...party('U1', null), login: 'ada' },
      { ...party('U2', 7), login: 'ADA' },
      true,
    ],
    ['by another login is not', { ...party('U1', null), login: 'ada' }, { ...party('U2', 7), login: 'bob' }, false],
    ['by no login is nobody', party('U1', null), party('U2', null), false],
    ['by a login on one side only is nobody', { ...party('U1', null), login: 'ada' }, party('U2', null), false],
    ['by different ids is not, whatever the login', { ...ada, login: 'x' }, { ...bob, login: 'x' }, false],
  ])('%s', (_how, a, b, same) => {
    expect(samePerson(a, b)).toBe(same);
    expect(samePerson(b, a)).toBe(same);
  });
});
