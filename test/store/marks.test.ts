import { describe, expect, it } from 'vitest';
import type { Lease } from '../../src/store/index.js';
import { allKeys, strayKeys, useStore } from '../support/redis.js';

const at = useStore();
const mark = (time: number) => ({ time, seen: ['7', '8'] });
const events = (...ids: string[]) => ids.map((id) => ({ id, body: { id } }));

async function leaseOn(source: string): Promise<Lease> {
  const lease = await at.store.marks.lease(source).acquire(10_000);
  if (!lease) throw new Error('the lease was free');
  return lease;
}

describe('a lease', () => {
  it('ends with what its poll wrote', async () => {
    const held = await leaseOn('repo-1');
    await at.store.marks.commit('repo-1', held, mark(100), events('7'));
    expect(await at.store.marks.open('repo-1', 1_000)).toMatchObject({ deaths: 0, unread: 1 });
  });

  it('is held by one at a time', async () => {
    const lease = at.store.marks.lease('repo-1');
    const held = await leaseOn('repo-1');
    expect(await lease.acquire(1000)).toBeUndefined();
    expect(await lease.renew(held, 20_000)).toBe(true);
    expect(await lease.release(held)).toBe(true);
    expect(await lease.release(held)).toBe(false);
    expect(await lease.acquire(1000)).toBeDefined();
  });
});

describe('a source', () => {
  it('has no mark before its first poll', async () => {
    expect(await at.store.marks.get('repo-1')).toBeUndefined();
    expect(await at.store.marks.unread('repo-1')).toEqual([]);
  });

  it('keeps its new events together with its mark', async () => {
    const lease = await leaseOn('repo-1');
    expect(await at.store.marks.commit('repo-1', lease, mark(100), events('7', '8'))).toBeDefined();
    expect(await at.store.marks.get('repo-1')).toEqual(mark(100));
    expect(await at.store.marks.unread('repo-1')).toEqual([
      { seq: 1, id: '7', body: { id: '7' } },
      { seq: 2, id: '8', body: { id: '8' } },
    ]);
    expect(await strayKeys(at.redis)).toEqual([]);
  });

  it('accepts nothing from a poller that lost its lease', async () => {
    const slow = await leaseOn('repo-1');
    await at.store.marks.lease('repo-1').release(slow);
    expect(await at.store.marks.commit('repo-1', slow, mark(50), events('1'))).toBeUndefined();
    const quick = await leaseOn('repo-1');
    await at.store.marks.commit('repo-1', quick, mark(100), events('7'));
    expect(await at.store.marks.commit('repo-1', slow, mark(50), events('1'))).toBeUndefined();
    expect(await at.store.marks.get('repo-1')).toEqual(mark(100));
    expect(await at.store.marks.backlog('repo-1')).toBe(1);
  });

  it('that was dropped is not moved on by a fan-out that still runs', async () => {
    await at.store.marks.commit('repo-1', await leaseOn('repo-1'), mark(100), events('1', '2', '3'));
    await at.store.marks.drop('repo-1');
    await at.store.marks.advance('repo-1', 3);
    await at.store.marks.commit('repo-1', await leaseOn('repo-1'), mark(200), events('4'));
    expect((await at.store.marks.unread('repo-1')).map(({ id }) => id)).toEqual(['4']);
  });

  it('returns an event until it was fanned out, and never again', async () => {
    const lease = await leaseOn('repo-1');
    await at.store.marks.commit('repo-1', lease, mark(100), events('1', '2', '3'));
    await at.store.marks.advance('repo-1', 2);
    expect((await at.store.marks.unread('repo-1')).map(({ id }) => id)).toEqual(['3']);
    await at.store.marks.advance('repo-1', 1);
    expect((await at.store.marks.unread('repo-1')).map(({ id }) => id)).toEqual(['3']);
    await at.store.marks.advance('repo-1', 3);
    await at.store.marks.commit('repo-1', await leaseOn('repo-1'), mark(101), events('4'));
    expect(await at.store.marks.unread('repo-1')).toEqual([{ seq: 4, id: '4', body: { id: '4' } }]);
    expect(await at.store.marks.backlog('repo-1')).toBe(1);
  });

  it('remembers our own changes for an hour', async () => {
    await at.store.marks.recordOwn('notes-1', ['t1', 't2']);
    expect([...(await at.store.marks.own('notes-1'))].sort()).toEqual(['t1', 't2']);
    at.pass(3_600_001);
    expect(await at.store.marks.own('notes-1')).toEqual(new Set());
  });

  it('is forgotten when it is dropped, and a poll in progress cannot bring it back', async () => {
    const lease = await leaseOn('repo-1');
    await at.store.marks.commit('repo-1', lease, mark(100), events('1'));
    await at.store.marks.drop('repo-1');
    expect(await at.store.marks.commit('repo-1', lease, mark(101), events('2'))).toBeUndefined();
    expect(await allKeys(at.redis)).toEqual(['bellows:{f0:source:repo-1}:fence']);
  });
});

describe('sources', () => {
  it('are due at once, for one worker', async () => {
    expect(await at.store.sources.ensure('repo-1', { name: 'ada/engine' })).toBe(true);
    expect(await at.store.sources.ensure('repo-1', { name: 'other' })).toBe(false);
    await at.store.sources.ensure('repo-2', null);
    const claims = await Promise.all([at.store.sources.claimDue(10, 60_000), at.store.sources.claimDue(10, 60_000)]);
    expect(
      claims
        .flat()
        .map(({ source }) => source)
        .sort(),
    ).toEqual(['repo-1', 'repo-2']);
    expect(await at.store.sources.get('repo-1')).toEqual({ about: { name: 'ada/engine' } });
  });

  it('are due again when their time comes', async () => {
    await at.store.sources.ensure('repo-1', null);
    const [due] = await at.store.sources.claimDue(10, 60_000);
    if (!due) throw new Error('it was due');
    expect(await at.store.sources.schedule(due, { at: at.now() + 15_000 })).toBe(true);
    expect(await at.store.sources.claimDue(10, 60_000)).toEqual([]);
    expect((await at.store.sources.list()).map(({ dueAt }) => dueAt)).toEqual([at.now() + 15_000]);
    at.pass(15_000);
    expect(await at.store.sources.claimDue(10, 60_000)).toHaveLength(1);
  });

  it('come back when their worker is lost', async () => {
    await at.store.sources.ensure('repo-1', null);
    await at.store.sources.claimDue(10, 60_000);
    at.pass(60_000);
    expect(await at.store.sources.claimDue(10, 60_000)).toHaveLength(1);
  });

  it('are not put off by a worker that was too slow, once another one reads them', async () => {
    const { sources } = at.store;
    await sources.ensure('repo-1', null);
    const [slow] = await sources.claimDue(10, 60_000);
    at.pass(60_000);
    await sources.claimDue(10, 60_000);
    expect(await sources.schedule(slow ?? { source: '', hold: 0 }, { at: at.now() + 300_000 })).toBe(false);
    at.pass(60_000);
    expect(await sources.claimDue(10, 60_000)).toHaveLength(1);
  });

  it('stay due if they are woken during a poll', async () => {
    await at.store.sources.ensure('repo-1', null);
    const [due] = await at.store.sources.claimDue(10, 60_000);
    expect(await at.store.sources.wake('repo-1', 'unknown')).toEqual(['repo-1']);
    // whoever reads it now reads it again; only if that worker is lost, another does
    expect(await at.store.sources.claimDue(10, 60_000)).toEqual([]);
    expect(await at.store.sources.schedule(due ?? { source: '', hold: 0 }, { at: at.now() + 300_000 })).toBe(false);
    expect(await at.store.sources.claimDue(10, 60_000)).toHaveLength(1);
    expect(await at.store.sources.wake('unknown')).toEqual([]);
  });

  it('that are woken during a poll come back first if its worker is lost', async () => {
    const { sources } = at.store;
    for (const source of ['repo-1', 'repo-2']) await sources.ensure(source, null);
    await sources.claimDue(10, 60_000);
    at.pass(1_000);
    await sources.wake('repo-2');
    at.pass(59_000);
    expect(await sources.claimDue(1, 60_000)).toMatchObject([{ source: 'repo-2', woken: true }]);
  });

  it('that were woken come first, inboxes last, and none starves', async () => {
    const { sources } = at.store;
    const claimed = async (limit: number) => (await sources.claimDue(limit, 60_000)).map(({ source }) => source);
    const lane = (kind: string, count: number) => Array.from({ length: count }, (_, n) => `${kind}-${100 + n}`);
    const [inboxes, repos] = [lane('inbox-T1-U', 60), lane('repo', 60)];
    for (const source of inboxes) await sources.ensure(source, null);
    at.pass(1_000);
    for (const source of repos) await sources.ensure(source, null);
    at.pass(1_000);
    const woken = repos.slice(40);
    await sources.wake(...woken);
    expect(await sources.lags()).toEqual({ woken: 0, due: 1_000, inboxes: 2_000 });
    expect(await claimed(12)).toEqual([...woken.slice(0, 8), ...repos.slice(0, 3), inboxes[0]]);
    expect(await claimed(24)).toEqual([
      ...woken.slice(8),
      ...repos.slice(3, 9),
      ...inboxes.slice(1, 3),
      ...repos.slice(9, 13),
    ]);
    expect(await sources.count()).toBe(120);
  });

  it('that were woken stay among the woken until a poll has read them', async () => {
    const { sources } = at.store;
    for (const source of ['repo-1', 'repo-2', 'repo-3']) await sources.ensure(source, null);
    const next = async () => (await sources.claimDue(1, 60_000))[0] ?? { source: 'none', hold: 0 };
    await sources.wake('repo-3');
    at.pass(1_000);
    const lost = await next();
    expect(lost.source).toBe('repo-3');
    // its worker ended without a word
    at.pass(60_000);
    const failed = await next();
    expect(failed.source).toBe('repo-3');
    await sources.schedule(failed, { at: at.now() + 5_000, again: true });
    expect((await next()).source).toBe('repo-1');
    at.pass(5_000);
    const read = await next();
    expect(read.source).toBe('repo-3');
    await sources.schedule(read, { at: at.now() + 5_000 });
    at.pass(5_000);
    expect((await next()).source).toBe('repo-2');
  });

  it('that are inboxes move to their own queue from where an earlier version kept them', async () => {
    const { sources } = at.store;
    await at.redis.zadd('bellows:{f0:sources}:due', at.now(), 'inbox-T1-U1');
    expect(await sources.claimDue(10, 60_000)).toEqual([]);
    await sources.ensure('inbox-T1-U1', null);
    expect(await sources.claimDue(10, 60_000)).toHaveLength(1);
    expect(await sources.count()).toBe(1);
  });

  it('that must not be polled before a time are not, whoever wakes them', async () => {
    const { sources } = at.store;
    await sources.ensure('repo-1', null);
    const [due] = await sources.claimDue(10, 60_000);
    if (!due) throw new Error('it was due');
    await sources.wake('repo-1');
    expect(await sources.schedule(due, { at: at.now() + 300_000, heldUntil: at.now() + 20_000 })).toBe(false);
    await sources.wake('repo-1');
    at.pass(19_000);
    expect(await sources.claimDue(10, 60_000)).toEqual([]);
    at.pass(1_000);
    const [again] = await sources.claimDue(10, 60_000);
    if (!again) throw new Error('it was due');
    await sources.wake('repo-1');
    expect(await sources.schedule(again, { at: at.now() + 300_000 })).toBe(false);
    expect(await sources.claimDue(10, 60_000)).toHaveLength(1);
  });

  it('that are followed anew do not wait as long as the forge asked before they were dropped', async () => {
    const { sources } = at.store;
    await sources.ensure('repo-1', null);
    const [due] = await sources.claimDue(10, 60_000);
    const heldUntil = at.now() + 600_000;
    await sources.schedule(due ?? { source: '', hold: 0 }, { at: heldUntil, heldUntil });
    await sources.drop('repo-1');
    expect(await allKeys(at.redis)).toEqual([]);
  });

  it('report their state, until they are dropped', async () => {
    await at.store.sources.ensure('repo-1', null);
    await at.store.sources.note('repo-1', { askedAt: 5, error: 'timeout' });
    expect(await at.store.sources.list()).toEqual([
      { source: 'repo-1', dueAt: at.now(), state: { askedAt: 5, error: 'timeout' } },
    ]);
    await at.store.sources.drop('repo-1');
    await at.store.sources.note('repo-1', { askedAt: 6 });
    expect(await allKeys(at.redis)).toEqual([]);
  });
});
