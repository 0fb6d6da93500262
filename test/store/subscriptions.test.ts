import { describe, expect, it } from 'vitest';
import { type Subscription, subscriptionId } from '../../src/store/index.js';
import { allKeys, strayKeys, useStore } from '../support/redis.js';

const at = useStore();
const place = { team: 'T1', channel: 'C1' };
const other = { team: 'T1', channel: 'C2' };
const engine = { kind: 'repo', id: 7 } as const;
const libs = { kind: 'owner', id: 3, pattern: 'lib-*' } as const;
const filter = { kinds: ['issues', 'pulls:merged'], labels: { only: ['bug'] } };
const follow = (sub: Partial<Subscription> = {}, name = 'ada/engine') =>
  at.store.subscriptions.put({ place, target: engine, owner: 'U1', filter, ...sub }, name);
const ids = (subs: readonly Subscription[]) => subs.map(subscriptionId).sort();

describe('a subscription', () => {
  it('is kept with its owner and filter', async () => {
    const made = await follow();
    expect(made).toEqual({ place, target: engine, owner: 'U1', filter, name: 'ada/engine', createdAt: at.now() });
    expect(await at.store.subscriptions.get({ place, target: engine })).toEqual(made);
    expect(subscriptionId(made)).toBe('T1/C1 r7');
    expect(await strayKeys(at.redis)).toEqual([]);
  });

  it('is one row: following again changes the filter, keeps age and owner', async () => {
    await follow();
    at.pass(60_000);
    const again = await follow({ owner: 'U2', filter: {} });
    expect(again).toMatchObject({ owner: 'U1', filter: {}, createdAt: at.now() - 60_000 });
    expect(await at.store.subscriptions.inChannel(place)).toHaveLength(1);
  });

  it('is found by target, by channel and by owner', async () => {
    await follow();
    await follow({ place: other });
    await follow({ target: libs, owner: 'U2' }, 'ada');
    await follow({ target: { ...libs, id: 4 } }, 'bob');
    expect(ids(await at.store.subscriptions.candidates(7, 3))).toEqual(['T1/C1 o3 lib-*', 'T1/C1 r7', 'T1/C2 r7']);
    expect(ids(await at.store.subscriptions.inChannel(place))).toEqual([
      'T1/C1 o3 lib-*',
      'T1/C1 o4 lib-*',
      'T1/C1 r7',
    ]);
    expect(ids(await at.store.subscriptions.ownedBy({ team: 'T1', user: 'U2' }))).toEqual(['T1/C1 o3 lib-*']);
    expect(await at.store.subscriptions.candidates(8, 9)).toEqual([]);
  });

  it('to several patterns of one owner is several rows', async () => {
    await follow({ target: libs }, 'ada');
    await follow({ target: { ...libs, pattern: '*' } }, 'ada');
    expect(ids(await at.store.subscriptions.of(libs))).toEqual(['T1/C1 o3 *', 'T1/C1 o3 lib-*']);
  });

  it('is handed over', async () => {
    await follow();
    await at.store.subscriptions.change({ place, target: engine }, { owner: 'U2' });
    expect(await at.store.subscriptions.ownedBy({ team: 'T1', user: 'U1' })).toEqual([]);
    expect(ids(await at.store.subscriptions.ownedBy({ team: 'T1', user: 'U2' }))).toEqual(['T1/C1 r7']);
  });

  it('is withheld with a reason and returns', async () => {
    await follow();
    const { subscriptions } = at.store;
    const where = { place, target: engine };
    const paused = { reason: 'The repository became private.', at: at.now(), cause: 'withheld' as const };
    await subscriptions.pause(where, paused);
    await subscriptions.change(where, { checkedAt: at.now() });
    expect(await subscriptions.get(where)).toMatchObject({ paused, checkedAt: at.now() });
    await subscriptions.resumeWithheld(where);
    expect(await subscriptions.get(where)).not.toHaveProperty('paused');
    expect(await subscriptions.pause({ place: other, target: engine }, paused)).toBeUndefined();
  });

  it('stays paused for its first reason until someone subscribes again', async () => {
    await follow();
    const { subscriptions } = at.store;
    const where = { place, target: engine };
    const paused = { reason: 'Its owner has left.', at: at.now() };
    await subscriptions.pause(where, paused);
    await subscriptions.pause(where, { reason: 'It is private.', at: at.now(), cause: 'withheld' });
    await subscriptions.resumeWithheld(where);
    await subscriptions.change(where, { owner: 'U2' });
    expect(await subscriptions.get(where)).toMatchObject({ paused, owner: 'U2' });
    await follow();
    expect(await subscriptions.get(where)).not.toHaveProperty('paused');
  });

  it('leaves nothing behind but that it changed', async () => {
    await follow();
    expect(await at.store.subscriptions.remove({ place, target: engine })).toMatchObject({ owner: 'U1' });
    expect(await at.store.subscriptions.remove({ place, target: engine })).toBeUndefined();
    expect(await allKeys(at.redis)).toEqual([expect.stringMatching(/:subs\}:changes$/)]);
  });

  it('is among the changes since an earlier look', async () => {
    const { subscriptions } = at.store;
    const empty = await subscriptions.changes(undefined);
    expect(empty).toEqual({ until: 0, changed: undefined });
    await follow();
    await follow({ target: libs }, 'ada');
    const both = await subscriptions.changes(empty.until);
    expect(both.changed?.map(({ id }) => id)).toEqual([7, 3]);
    await subscriptions.change({ place, target: engine }, { owner: 'U2' });
    await subscriptions.remove({ place, target: engine });
    const { until, changed } = await subscriptions.changes(both.until);
    expect(changed).toEqual([engine]);
    expect(await subscriptions.changes(until)).toEqual({ until, changed: [] });
    // another Redis, or one restored from a backup
    expect(await subscriptions.changes(until + 1)).toEqual({ until, changed: undefined });
  });

  it('is among more changes than are kept if they are a thousand', async () => {
    const { subscriptions } = at.store;
    await follow();
    const { until } = await subscriptions.changes(undefined);
    const more = Array.from({ length: 1_000 }, (_, n) => follow({ target: { kind: 'repo', id: 100 + n } }));
    await Promise.all(more);
    expect((await subscriptions.changes(until)).changed).toHaveLength(1_000);
    await follow({ target: libs }, 'ada');
    expect((await subscriptions.changes(until)).changed).toBeUndefined();
  });

  it('loses no change when many are made at once', async () => {
    await follow();
    const where = { place, target: engine };
    await Promise.all([
      at.store.subscriptions.change(where, { filter: { changed: true } }),
      at.store.subscriptions.change(where, { owner: 'U9' }),
      at.store.subscriptions.change(where, { checkedAt: at.now() }),
    ]);
    expect(await at.store.subscriptions.get(where)).toMatchObject({
      filter: { changed: true },
      owner: 'U9',
      checkedAt: at.now(),
    });
    expect(await at.store.subscriptions.ownedBy({ team: 'T1', user: 'U1' })).toEqual([]);
  });

  it('names its target until nobody follows it', async () => {
    await follow();
    await follow({ place: other });
    await follow({ target: libs }, 'ada');
    await at.store.subscriptions.rename(engine, 'ada/motor');
    await at.store.subscriptions.rename({ kind: 'repo', id: 99 }, 'nobody/follows');
    expect(await at.store.subscriptions.nameOf(engine)).toBe('ada/motor');
    await at.store.subscriptions.rename(engine, 'Ada/Pump');
    await at.store.subscriptions.rename(engine, 'ada/motor');
    expect(await at.store.subscriptions.formerly('ada/PUMP')).toEqual({ kind: 'repo', id: 7 });
    await at.store.subscriptions.remove({ place, target: engine });
    expect(await at.store.subscriptions.listFollowed()).toEqual([
      { kind: 'repo', id: 7, name: 'ada/motor' },
      { kind: 'owner', id: 3, name: 'ada' },
    ]);
    const all: string[] = [];
    for await (const { subscription, name } of at.store.subscriptions.each())
      all.push(`${name}: ${subscriptionId(subscription)}`);
    expect(all.sort()).toEqual(['ada/motor: T1/C2 r7', 'ada: T1/C1 o3 lib-*']);
  });
});

describe('decisions', () => {
  const decided = { event: 'e1', kind: 'issues', address: 'https://git.example/ada/engine/issues/1' };
  const made = [{ ...place, subscription: 'T1/C1 r7', kept: false, clause: '-label:wip' }];

  it('are found by any address of the item', async () => {
    await at.store.decisions.record([{ ...decided, made }]);
    at.pass(1000);
    await at.store.decisions.record([
      { ...decided, made, event: 'e2', address: 'https://git.example/ada/engine/issues/1#issuecomment-4' },
    ]);
    const found = await at.store.decisions.about('https://GIT.example/ada/engine/issues/1/?tab=x');
    expect(found.map(({ event, clause }) => `${event} ${clause}`)).toEqual(['e2 -label:wip', 'e1 -label:wip']);
    expect(await at.store.decisions.about('https://git.example/ada/engine/issues/2')).toEqual([]);
  });

  it('of one event are one row, whoever they are for', async () => {
    const others = [
      { team: 'T1', channel: 'C2', subscription: 'T1/C2 o3 lib-*', kept: false, clause: '-label:wip' },
      { team: 'T1', channel: 'C3', kept: true, clause: 'issues' },
    ];
    await at.store.decisions.record([{ ...decided, made: [...made, ...others] }]);
    const about = { at: at.now(), event: 'e1', kind: 'issues' };
    expect(await at.store.decisions.about(decided.address)).toEqual(
      [...made, ...others].map((each) => ({ ...about, ...each })),
    );
    const [key = ''] = await allKeys(at.redis);
    expect(await at.redis.llen(key)).toBe(1);
  });

  it('of an earlier version are still read', async () => {
    await at.store.decisions.record([{ ...decided, made }]);
    const [key = ''] = await allKeys(at.redis);
    const old = { at: 5, event: 'e0', kind: 'issues', ...made[0] };
    await at.redis.lpush(key, JSON.stringify({ v: 1, ...old }));
    expect((await at.store.decisions.about(decided.address))[0]).toEqual(old);
  });

  it('are bounded, for fourteen days', async () => {
    const { address } = decided;
    await at.store.decisions.record(Array.from({ length: 60 }, (_, n) => ({ ...decided, made, event: `e${n}` })));
    const kept = await at.store.decisions.about(address);
    expect(kept).toHaveLength(50);
    expect(kept[0]?.event).toBe('e59');
    const lives = await Promise.all((await allKeys(at.redis)).map((key) => at.redis.ttl(key)));
    expect(Math.min(...lives)).toBeGreaterThan(13 * 86_400);
    expect(await strayKeys(at.redis)).toEqual([]);
  });
});
