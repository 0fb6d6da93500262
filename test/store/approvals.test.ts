import { describe, expect, it } from 'vitest';
import type { Party } from '../../src/store/index.js';
import { asked, party } from '../support/asked.js';
import { strayKeys, useStore } from '../support/redis.js';

const ada = party('U1', 1);
const bob = party('U2', 2);
const eve = party('U3', 3);

const at = useStore();

const ask = (needed = 1, id = 'a1') =>
  at.store.approvals.create(asked(at.now(), { id }, { needed }), { run: 9, token: 'sesame' });
const approve = (by: Party, id = 'a1') => at.store.approvals.decide(id, { by, verdict: 'approve' });
const due = async () => (await at.store.approvals.due()).map(({ id, state }) => `${id} ${state}`);

describe('an approval', () => {
  it('keeps what was requested, with its arguments sealed', async () => {
    expect(await ask()).toBe(true);
    expect(await at.store.approvals.get('a1')).toMatchObject({
      state: 'open',
      requester: ada,
      bound: { run: 9 },
      decisions: [],
      runs: 0,
    });
    expect(JSON.stringify(await at.redis.hgetall('bellows:{f0:approvals}:item:a1'))).not.toContain('sesame');
    expect(await at.store.approvals.args('a1')).toEqual({ run: 9, token: 'sesame' });
    expect(await strayKeys(at.redis)).toEqual([]);
  });

  it('does not take over the arguments of another request', async () => {
    await ask();
    await at.store.approvals.create(asked(at.now(), { id: 'a2' }), { run: 10 });
    const key = (id: string) => `bellows:{f0:approvals}:item:${id}`;
    await at.redis.hset(key('a1'), 'args', (await at.redis.hget(key('a2'), 'args')) ?? '');
    expect(await at.store.approvals.args('a1')).toBeUndefined();
    expect(await at.store.approvals.args('a2')).toEqual({ run: 10 });
  });

  it('is requested once, however often its job runs', async () => {
    await ask();
    await approve(bob);
    expect(await ask()).toBe(false);
    expect((await at.store.approvals.get('a1'))?.state).toBe('approved');
  });

  it('is approved by a second person', async () => {
    await ask();
    expect(await approve(bob)).toBe('approved');
    expect((await at.store.approvals.get('a1'))?.decisions).toEqual([{ by: bob, verdict: 'approve', at: at.now() }]);
  });

  it.each([
    ['the same Slack person', ada],
    ['the same forge user from another workspace', party('U9', 1, 'T9')],
    ['the same login, whatever its id', { ...party('U9', null, 'T9'), login: 'LOGIN1' }],
  ])('is not approved by %s', async (_, by) => {
    await ask();
    expect(await approve(by)).toBe('self');
    expect((await at.store.approvals.get('a1'))?.state).toBe('open');
  });

  it('is not approved by an account the forge did not confirm, which may still deny', async () => {
    await ask();
    const stranger = { ...party('U7', null), login: 'margaret' };
    expect(await approve(stranger)).toBe('unconfirmed');
    expect((await at.store.approvals.get('a1'))?.decisions).toEqual([]);
    expect(await at.store.approvals.decide('a1', { by: stranger, verdict: 'deny' })).toBe('denied');
  });

  it('is approved by another forge user who has the requester’s former login', async () => {
    await ask();
    expect(await approve({ ...party('U7', 7), login: 'login1' })).toBe('approved');
  });

  it('is void once any part was changed, and no part can be used for another', async () => {
    const key = (id: string) => `bellows:{f0:approvals}:item:${id}`;
    await ask(2, 'a1');
    await ask(2, 'a2');
    await approve(bob, 'a1');
    const asked = (await at.redis.hget(key('a1'), 'ask')) ?? '';
    const vote = (await at.redis.hget(key('a1'), 'by T1/U2')) ?? '';
    await at.redis.hset(key('a2'), 'by T1/U2', vote, 'by T1/U3', vote);
    expect((await at.store.approvals.get('a2'))?.decisions).toEqual([]);
    await at.redis.hset(key('a1'), 'by T1/U3', vote);
    expect((await at.store.approvals.get('a1'))?.decisions).toHaveLength(1);
    await at.redis.hset(key('a1'), 'ask', asked.replace('"requesterCounts":false', '"requesterCounts":true'));
    expect(await at.store.approvals.get('a1')).toBeUndefined();
    expect(await approve(eve, 'a1')).toBe('unknown');
    await at.redis.hset(key('a1'), 'ask', asked.slice(asked.indexOf(' ') + 1));
    expect(await at.store.approvals.get('a1')).toBeUndefined();
    await at.redis.hset(key('a2'), 'ask', asked);
    expect(await at.store.approvals.get('a2')).toBeUndefined();
    await at.redis.hset(key('a1'), 'ask', asked);
    expect((await at.store.approvals.get('a1'))?.decisions).toHaveLength(1);
    // the alarm is written in the background
    const alarms = async () => (await at.store.audit.read({ outcome: 'forged' })).rows.map(({ entry }) => entry.target);
    await expect.poll(async () => (await alarms()).sort()).toEqual(['a1', 'a1 T1/U3', 'a2', 'a2 T1/U2', 'a2 T1/U3']);
  });

  it('made by someone else does not block the others', async () => {
    await at.redis.zadd('bellows:{f0:approvals}:active', 0, 'made-up');
    await at.redis.hset('bellows:{f0:approvals}:item:made-up', 'ask', '{"v":1}', 'state', 'approved');
    await ask();
    expect(await due()).toEqual(['a1 open']);
    expect(await at.redis.zrange('bellows:{f0:approvals}:active', '0', '-1')).toEqual(['a1']);
  });

  it('expires at the requested time, whatever is stored beside it', async () => {
    await ask();
    await at.redis.hset('bellows:{f0:approvals}:item:a1', 'expiresAt', at.now() + 999_999_999);
    at.pass(60_000);
    expect(await approve(bob)).toBe('expired');
  });

  it('needs as many different people as its policy says', async () => {
    await ask(2);
    expect(await approve(bob)).toBe('counted');
    expect(await approve(bob)).toBe('again');
    expect(await approve(party('U8', 2))).toBe('again');
    expect(await approve(eve)).toBe('approved');
  });

  it('lets one click win among many', async () => {
    await ask();
    const people = Array.from({ length: 20 }, (_, index) => party(`U1${index}`, 100 + index));
    const outcomes = await Promise.all(people.map((by) => approve(by)));
    expect(outcomes.filter((outcome) => outcome === 'approved')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'closed')).toHaveLength(19);
  });

  it('ends when it is denied', async () => {
    await ask(2);
    expect(await at.store.approvals.decide('a1', { by: bob, verdict: 'deny', note: 'not now' })).toBe('denied');
    expect(await approve(eve)).toBe('closed');
    expect(await at.store.approvals.claim('a1', 1000)).toBeUndefined();
  });

  it('is withdrawn only by its requester', async () => {
    await ask();
    expect(await at.store.approvals.withdraw('a1', bob)).toBe('not-yours');
    expect(await at.store.approvals.withdraw('a1', ada)).toBe('withdrawn');
    expect(await at.store.approvals.withdraw('a1', ada)).toBe('closed');
    expect(await at.store.approvals.askedBy(ada)).toEqual([]);
  });

  it('is canceled with a reason when its requester left', async () => {
    await ask();
    expect((await at.store.approvals.askedBy(ada)).map(({ id }) => id)).toEqual(['a1']);
    expect(await at.store.approvals.cancel('a1', 'Ada left.')).toBe('withdrawn');
    expect((await at.store.approvals.get('a1'))?.result?.summary).toBe('Ada left.');
  });

  it('expires, and then no click counts', async () => {
    await ask();
    expect(await at.store.approvals.expire('a1')).toBe('early');
    at.pass(60_000);
    expect(await approve(bob)).toBe('expired');
    expect(await at.store.approvals.expire('a1')).toBe('expired');
    expect((await at.store.approvals.get('a1'))?.state).toBe('expired');
  });

  it('is run by one worker', async () => {
    await ask();
    expect(await at.store.approvals.claim('a1', 1000)).toBeUndefined();
    await approve(bob);
    const claims = await Promise.all([1, 2, 3, 4].map(() => at.store.approvals.claim('a1', 1000)));
    expect(claims.filter((claim) => claim !== undefined)).toEqual([{ id: 'a1', fence: 1 }]);
  });

  it('is taken over when a run was interrupted, and the old run can finish nothing', async () => {
    await ask();
    await approve(bob);
    const old = await at.store.approvals.claim('a1', 1000);
    at.pass(1000);
    const taken = await at.store.approvals.claim('a1', 1000);
    if (!old || !taken) throw new Error('both claims were expected');
    expect(await at.store.approvals.finish(old, 'done', { summary: 'Canceled.' })).toBe(false);
    expect(await at.store.approvals.renew(old, 1000)).toBe(false);
    expect(await at.store.approvals.renew(taken, 5000)).toBe(true);
    expect(await at.store.approvals.finish(taken, 'failed', { summary: 'The run changed.' })).toBe(true);
    expect(await at.store.approvals.get('a1')).toMatchObject({
      state: 'failed',
      runs: 2,
      result: { summary: 'The run changed.' },
    });
  });

  it('stays due until its current state was announced', async () => {
    await ask();
    expect(await due()).toEqual(['a1 open']);
    await at.store.approvals.announced('a1', 'open');
    expect(await due()).toEqual([]);
    await approve(bob);
    expect(await due()).toEqual(['a1 approved']);
    const claim = await at.store.approvals.claim('a1', 1000);
    expect(await due()).toEqual([]);
    await at.store.approvals.finish(claim ?? { id: '', fence: 0 }, 'done', { summary: 'Canceled.' });
    expect(await at.store.approvals.announced('a1', 'running')).toBe(false);
    expect(await due()).toEqual(['a1 done']);
    expect(await at.store.approvals.announced('a1', 'done')).toBe(true);
    expect(await due()).toEqual([]);
    expect(await at.redis.ttl('bellows:{f0:approvals}:item:a1')).toBeGreaterThan(2_500_000);
  });

  it('is due again when it expires or its run was interrupted', async () => {
    await ask(1, 'a1');
    await ask(1, 'a2');
    await at.store.approvals.announced('a1', 'open');
    await approve(bob, 'a2');
    await at.store.approvals.claim('a2', 1000);
    at.pass(1000);
    expect(await due()).toEqual(['a2 running']);
    at.pass(59_000);
    expect((await due()).sort()).toEqual(['a1 open', 'a2 running']);
  });

  it('with an unknown id is nothing', async () => {
    expect(await approve(bob, 'zz')).toBe('unknown');
    expect(await at.store.approvals.withdraw('zz', ada)).toBe('unknown');
    expect(await at.store.approvals.get('zz')).toBeUndefined();
  });
});
