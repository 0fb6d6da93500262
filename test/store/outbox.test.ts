import { describe, expect, it } from 'vitest';
import type { Lease } from '../../src/store/index.js';
import { strayKeys, useStore } from '../support/redis.js';

const at = useStore();
const place = { team: 'T1', channel: 'C1' };
const post = (...ids: string[]) => ids.map((id) => ({ id, body: { text: id } }));
const card = (id: string, name: string) => ({ id, card: name, body: { text: id } });
const waiting = async () => (await at.store.outbox.view(place, 100)).entries.map(({ id }) => id);

async function lease(): Promise<Lease> {
  const held = await at.store.outbox.lease(place).acquire(10_000);
  if (!held) throw new Error('the lease was free');
  return held;
}

describe('an outbox', () => {
  it('keeps the order', async () => {
    expect(await at.store.outbox.append(place, post('e1', 'e2'))).toBe(2);
    expect(await at.store.outbox.append(place, post('e3'))).toBe(1);
    expect(await waiting()).toEqual(['e1', 'e2', 'e3']);
    expect(await at.store.outbox.view(place)).toEqual({
      size: 3,
      aside: 0,
      entries: [{ id: 'e1', at: at.now(), body: { text: 'e1' } }],
    });
    expect(await strayKeys(at.redis)).toEqual([]);
  });

  it('drops known entries, even after they were posted', async () => {
    await at.store.outbox.append(place, post('e1'));
    expect(await at.store.outbox.append(place, post('e1', 'e2'))).toBe(1);
    const held = await lease();
    await at.store.outbox.begin(place, held, { id: 'i1', entries: ['e1'] }, 10_000);
    await at.store.outbox.finish(place, held, 'i1');
    expect(await at.store.outbox.append(place, post('e1'))).toBe(0);
    expect(await waiting()).toEqual(['e2']);
    expect(await at.store.outbox.had(place, ['e1', 'e9'])).toEqual(['e1']);
  });

  it('removes what nobody may get, except a post in progress', async () => {
    await at.store.outbox.append(place, [...post('e1', 'e2', 'e3'), card('u1', 'pull-9')]);
    await at.store.outbox.begin(place, await lease(), { id: 'i1', entries: ['e1'] }, 10_000);
    await at.store.outbox.forget(place, ['e1', 'e2', 'u1', 'e9']);
    expect(await waiting()).toEqual(['e1', 'e3']);
    await at.store.outbox.append(place, [card('u2', 'pull-9')]);
    expect(await waiting()).toEqual(['e1', 'e3', 'u2']);
  });

  it('forgets known ids after seven days', async () => {
    await at.store.outbox.append(place, post('e1'));
    at.pass(7 * 86_400_000 + 1);
    expect(await at.store.outbox.append(place, post('e1'))).toBe(1);
  });

  it('lets the latest update of a card win, in the position of the first', async () => {
    await at.store.outbox.append(place, [card('u1', 'pull-9'), ...post('e1'), card('u2', 'pull-9')]);
    await at.store.outbox.append(place, [card('u3', 'pull-9'), card('v1', 'pull-8')]);
    expect(await waiting()).toEqual(['u3', 'e1', 'v1']);
  });

  it('does not change an update in progress', async () => {
    await at.store.outbox.append(place, [card('u1', 'pull-9')]);
    const held = await lease();
    await at.store.outbox.begin(place, held, { id: 'i1', entries: ['u1'] }, 10_000);
    await at.store.outbox.append(place, [card('u2', 'pull-9')]);
    expect(await waiting()).toEqual(['u1', 'u2']);
    await at.store.outbox.finish(place, held, 'i1');
    await at.store.outbox.append(place, [card('u3', 'pull-9')]);
    expect(await waiting()).toEqual(['u3']);
  });

  it('remembers that a post was begun until it is done', async () => {
    await at.store.outbox.append(place, post('e1', 'e2', 'e3'));
    const held = await lease();
    expect(await at.store.outbox.begin(place, held, { id: 'i1', entries: ['e1', 'e2'] }, 10_000)).toBe(true);
    expect(await at.store.outbox.begin(place, held, { id: 'i2', entries: ['e3'] }, 10_000)).toBe(false);
    expect((await at.store.outbox.view(place)).intent).toEqual({ id: 'i1', entries: ['e1', 'e2'], at: at.now() });
    expect(await at.store.outbox.finish(place, held, 'i2')).toBeUndefined();
    expect(await at.store.outbox.finish(place, held, 'i1')).toBe(1);
    expect(await at.store.outbox.view(place, 9)).toMatchObject({ size: 1, entries: [{ id: 'e3' }] });
  });

  it('is free again with its last entry, if that is wanted', async () => {
    await at.store.outbox.append(place, post('e1', 'e2'));
    const opened = await at.store.outbox.open(place, 10_000, 9);
    if (!opened) throw new Error('it was free');
    expect(opened).toMatchObject({ deaths: 0, view: { size: 2, entries: [{ id: 'e1' }, { id: 'e2' }] } });
    expect(await at.store.outbox.open(place, 10_000, 9)).toBeUndefined();
    const { token } = opened;
    for (const [id, left] of [
      ['e1', 1],
      ['e2', 0],
    ] as const) {
      expect(await at.store.outbox.viewAgain(place, token, 10_000, 1)).toMatchObject({ entries: [{ id }] });
      await at.store.outbox.begin(place, token, { id, entries: [id] }, 10_000);
      expect(await at.store.outbox.finish(place, token, id, { ends: true })).toBe(left);
    }
    expect(await at.store.outbox.viewAgain(place, token, 10_000, 1)).toBeUndefined();
    expect(await at.store.outbox.open(place, 10_000, 9)).toMatchObject({ deaths: 0, view: { size: 0 } });
  });

  it('keeps its entries when the post certainly failed, and waits as long as Slack asks', async () => {
    await at.store.outbox.append(place, post('e1'));
    const held = await lease();
    await at.store.outbox.begin(place, held, { id: 'i1', entries: ['e1'] }, 10_000);
    expect(await at.store.outbox.again(place, held, 'i1', { at: at.now() + 5000 })).toBe(true);
    expect(await at.store.outbox.view(place)).toMatchObject({ size: 1, notBefore: at.now() + 5000 });
    at.pass(5000);
    const view = await at.store.outbox.view(place);
    expect(view).not.toHaveProperty('notBefore');
    expect(view).not.toHaveProperty('intent');
  });

  it('remembers what may be posted already, also while it is set aside', async () => {
    await at.store.outbox.append(place, post('e1', 'e2', 'e3'));
    const held = await lease();
    const unsure = async () => (await at.store.outbox.view(place, 9)).entries.map((entry) => entry.unsure ?? false);
    const { entries } = await at.store.outbox.view(place, 2);
    await at.store.outbox.begin(place, held, { id: 'i1', entries: ['e1', 'e2'] }, 10_000);
    await at.store.outbox.again(place, held, 'i1', { posted: [...entries, { id: 'gone', at: 0, body: {} }] });
    expect(await unsure()).toEqual([true, true, false]);
    const [stored = ''] = await at.redis.keys('*:entries');
    expect(await at.redis.hlen(stored)).toBe(3);
    const [first] = (await at.store.outbox.view(place)).entries;
    await at.store.outbox.setAside(place, held, { entries: first ? [first] : [], code: 'timeout', retry: true });
    expect(await unsure()).toEqual([true, false]);
    expect(await at.store.outbox.isRetryDue(place)).toBe(false);
    expect(await at.store.outbox.revive(place, held)).toBe(0);
    at.pass(2 * 60_000);
    expect(await at.store.outbox.isRetryDue(place)).toBe(true);
    expect(await at.store.outbox.revive(place, held)).toBe(1);
    expect(await unsure()).toEqual([true, true, false]);
    expect(await waiting()).toEqual(['e1', 'e2', 'e3']);
  });

  it('tries what was set aside ever less often, and no longer after half a day', async () => {
    await at.store.outbox.append(place, post('e1'));
    const held = await lease();
    const setAside = async (asides: number) => {
      const [first] = (await at.store.outbox.view(place)).entries;
      const entries = first ? [{ ...first, asides }] : [];
      await at.store.outbox.setAside(place, held, { entries, code: 'timeout', retry: true });
      const [{ retryAt } = {}] = await at.store.outbox.asideIn(place);
      at.pass(15 * 60_000);
      await at.store.outbox.revive(place, held);
      return retryAt === undefined ? undefined : (retryAt - at.now()) / 60_000 + 15;
    };
    const minutes: (number | undefined)[] = [];
    for (const asides of [0, 1, 2, 3, 49, 50]) minutes.push(await setAside(asides));
    expect(minutes).toEqual([2, 4, 8, 15, 15, undefined]);
  });

  it('obeys nobody who lost the lease', async () => {
    await at.store.outbox.append(place, post('e1'));
    const old = await lease();
    await at.store.outbox.begin(place, old, { id: 'i1', entries: ['e1'] }, 10_000);
    await at.store.outbox.lease(place).release(old);
    const held = await lease();
    expect(await at.store.outbox.finish(place, old, 'i1')).toBeUndefined();
    expect(await at.store.outbox.again(place, old, 'i1')).toBe(false);
    expect(await at.store.outbox.drop(place, old, ['e1'])).toBe(false);
    expect(await at.store.outbox.finish(place, held, 'i1')).toBe(0);
  });

  it('drops what must not be posted', async () => {
    await at.store.outbox.append(place, [card('u1', 'pull-9'), ...post('e1')]);
    expect(await at.store.outbox.drop(place, await lease(), ['u1'])).toBe(true);
    expect(await waiting()).toEqual(['e1']);
  });

  it('knows a parent’s thread from the moment it is posted', async () => {
    await at.store.outbox.append(place, post('e1'));
    const held = await lease();
    await at.store.outbox.begin(place, held, { id: 'i1', entries: ['e1'] }, 10_000);
    await at.store.outbox.finish(place, held, 'i1', { mark: { item: 'pull/7/9', ts: '1.5', hash: 'h1' } });
    expect(await at.store.threads.get(place, 'pull/7/9')).toEqual({ ts: '1.5', hash: 'h1' });
    expect(await at.store.threads.itemOf(place, '1.5')).toBe('pull/7/9');
    expect(await strayKeys(at.redis)).toEqual([]);
  });

  it('is paused with a reason, or muted for a while', async () => {
    await at.store.outbox.pause(place, 'The channel is archived.');
    expect((await at.store.outbox.view(place)).pause?.reason).toBe('The channel is archived.');
    await at.store.outbox.resume(place);
    expect((await at.store.outbox.view(place)).pause).toBeUndefined();
    await at.store.outbox.pause(place, 'muted', at.now() + 1000);
    at.pass(1000);
    expect((await at.store.outbox.view(place)).pause).toBeUndefined();
  });
});

describe('a lane', () => {
  const lane = { ...place, lane: 12 };

  it('has entries, pauses and a lease of its own', async () => {
    await at.store.outbox.append(lane, post('e1'));
    await at.store.outbox.append(place, post('e1', 'e2'));
    await at.store.outbox.pause(lane, 'muted');
    await lease();
    expect(await at.store.outbox.open(lane, 10_000, 9)).toMatchObject({
      view: { size: 1, pause: { reason: 'muted' } },
    });
    expect(await waiting()).toEqual(['e1', 'e2']);
    expect(await at.store.outbox.paused(place)).toBeUndefined();
    expect(await strayKeys(at.redis)).toEqual([]);
  });

  it('counts what it left out, each once, until it rests', async () => {
    const leaveOut = async (where: typeof place, ...ids: string[]) => {
      for (const id of ids) await at.store.outbox.leaveOut(where, id);
      return at.store.outbox.leaveOut(where, ids[0] ?? '');
    };
    await at.store.outbox.append(lane, post('e1'));
    expect([await leaveOut(lane, 'a', 'b'), await leaveOut(place, 'a')]).toEqual([2, 1]);
    await at.store.outbox.forget(lane, ['e1']);
    await at.store.outbox.rest(lane, (await at.store.outbox.additionsOf(lane)) ?? 0);
    expect([await leaveOut(lane, 'c'), await leaveOut(place, 'c')]).toEqual([1, 2]);
    expect(await strayKeys(at.redis)).toEqual([]);
  });

  it('shows its cards and events in the channel', async () => {
    await at.store.outbox.append(lane, post('e1'));
    const { token = '' as Lease } = (await at.store.outbox.open(lane, 10_000, 9)) ?? {};
    await at.store.outbox.begin(lane, token, { id: 'e1', entries: ['e1'] }, 10_000);
    const events = [{ address: 'https://git.example/ada/engine/issues/1', event: 'e1' }];
    await at.store.outbox.finish(lane, token, 'e1', { mark: { item: 'i1', ts: '1.5' }, shown: { ts: '1.5', events } });
    expect(await at.store.threads.get(place, 'i1')).toEqual({ ts: '1.5' });
    expect(await at.store.decisions.ofMessage(place, '1.5')).toEqual(events);
  });
});

describe('the list of outboxes', () => {
  it('names those with entries', async () => {
    await at.store.outbox.append(place, post('e1'));
    const others = [
      { team: 'T1', channel: 'C2' },
      { ...place, lane: 12 },
      { ...place, lane: 'notices' as const },
    ];
    for (const other of others) await at.store.outbox.append(other, post('e1'));
    expect(await at.store.outbox.pending()).toEqual([place, ...others]);
  });

  it('lets an empty one rest until something is added', async () => {
    await at.store.outbox.append(place, post('e1'));
    await at.store.outbox.drop(place, await lease(), ['e1']);
    expect(await at.store.outbox.rest(place, (await at.store.outbox.additionsOf(place)) ?? 0)).toBe(true);
    expect(await at.store.outbox.pending()).toEqual([]);
    expect(await at.store.outbox.additionsOf(place)).toBeUndefined();
    await at.store.outbox.append(place, post('e2'));
    expect(await at.store.outbox.pending()).toEqual([place]);
  });

  it('names one again whenever something is added, known or not, or resumed', async () => {
    const seen: unknown[] = [];
    const stop = at.store.outbox.watch((where) => seen.push(where));
    await at.store.outbox.append(place, post('e1'));
    await at.store.outbox.rest(place, (await at.store.outbox.additionsOf(place)) ?? 0);
    // as after an interruption between the two
    await at.store.outbox.append(place, post('e1'));
    expect(await at.store.outbox.pending()).toEqual([place]);
    await at.store.outbox.resume({ ...place, lane: 12 });
    stop();
    await at.store.outbox.append(place, post('e2'));
    expect(seen).toEqual([place, place, { ...place, lane: 12 }]);
  });

  it('keeps one to which something is added while it is put to rest', async () => {
    await at.store.outbox.append(place, post('e1'));
    await at.store.outbox.drop(place, await lease(), ['e1']);
    const touched = (await at.store.outbox.additionsOf(place)) ?? 0;
    await at.store.outbox.append(place, post('e2'));
    expect(await at.store.outbox.rest(place, touched)).toBe(false);
    expect(await at.store.outbox.pending()).toEqual([place]);
  });
});

describe('threads', () => {
  it('are kept and forgotten per channel', async () => {
    await at.store.threads.put(place, { item: 'issue/7/1', ts: '2.5' });
    expect(await at.store.threads.get(place, 'issue/7/1')).toEqual({ ts: '2.5' });
    expect(await at.store.threads.get({ ...place, channel: 'C2' }, 'issue/7/1')).toBeUndefined();
    await at.store.threads.forget(place, 'issue/7/1');
    expect(await at.store.threads.get(place, 'issue/7/1')).toBeUndefined();
    expect(await at.store.threads.itemOf(place, '2.5')).toBeUndefined();
  });
});

describe('the rate limit', () => {
  const rate = { intervalMs: 60_000, burst: 2 };

  it('lets a burst through and then says how long to wait', async () => {
    expect(await at.store.pace.take('T1/C1', rate)).toBe(0);
    expect(await at.store.pace.take('T1/C1', rate)).toBe(0);
    const wait = await at.store.pace.take('T1/C1', rate);
    expect(wait).toBeGreaterThan(55_000);
    expect(wait).toBeLessThanOrEqual(60_000);
    expect(await at.store.pace.take('T1/C2', rate)).toBe(0);
  });

  it('holds a scope as long as Slack asks, and no other', async () => {
    await at.store.pace.hold('T1/C1', rate, 30_000);
    const wait = await at.store.pace.take('T1/C1', rate);
    expect(wait).toBeGreaterThan(25_000);
    expect(wait).toBeLessThanOrEqual(30_000);
    expect(await at.store.pace.take('T1/C2', rate)).toBe(0);
  });
});
