import { describe, expect, it } from 'vitest';
import { createSeal, createStore, type Store, subscriptionId } from '../../src/store/index.js';
import { asked } from '../support/asked.js';
import { testKeys, useStore } from '../support/redis.js';

const at = useStore();
const place = { team: 'T1', channel: 'C1' };
const sub = { place, target: { kind: 'repo', id: 7 } as const, owner: 'UEVE', filter: {} };
const reminder = {
  ...{ id: 'rem1', ...place, owner: 'UEVE', personal: true, repositories: [], days: ['daily'], time: '09:00' },
  ...{ zone: 'Etc/UTC', labels: [], without: [], drafts: false },
};
const link = { channel: 'C1', ts: '1.1', url: 'https://git.example.org/acme/engine/issues/1', shown: '' };
const facts = { kind: 'public' as const, shared: false, member: true, archived: false };
const about = 'bellows:{f0:channel:T1:C1}';

const forgedRows = async () =>
  (await at.store.audit.read({ outcome: 'forged' })).rows.map(({ entry }) => `${entry.command} ${entry.target}`);

/** Every signed record: how it is written, where it is stored, and what reads it. */
const records: readonly {
  readonly what: string;
  readonly row: string;
  put(store: Store): Promise<unknown>;
  readonly key: string;
  readonly field?: string;
  change(text: string): string;
  read(store: Store): Promise<unknown>;
}[] = [
  {
    what: 'the owner of a subscription',
    row: '(subscription) r7 T1/C1',
    put: (store) => store.subscriptions.put(sub, 'acme/engine'),
    key: 'bellows:{f0:subs}:of:r7',
    field: 'T1/C1',
    change: (text) => text.replace('UEVE', 'UADA'),
    read: (store) => store.subscriptions.get(sub),
  },
  {
    what: 'an offer to own a subscription',
    row: `(handover) ${subscriptionId(sub)}`,
    put: (store) => store.handovers.offer(sub, 'UADA', 'UEVE'),
    key: 'bellows:{f0:subs}:handovers',
    field: subscriptionId(sub),
    change: (text) => text.replace('UADA', 'UBOB'),
    read: (store) => store.handovers.get(sub),
  },
  {
    what: 'a reminder',
    row: '(reminder) rem1',
    put: (store) => store.reminders.put(reminder),
    key: 'bellows:{f0:reminders}:all',
    field: 'rem1',
    change: (text) => text.replace('UEVE', 'UADA'),
    read: (store) => store.reminders.get('rem1'),
  },
  {
    what: 'one of all reminders',
    row: '(reminder) rem2',
    put: (store) => store.reminders.put({ ...reminder, id: 'rem2' }),
    key: 'bellows:{f0:reminders}:all',
    field: 'rem2',
    change: (text) => text.replace('"C1"', '"C2"'),
    read: async (store) => (await store.reminders.all())[0],
  },
  {
    what: 'a card under a link',
    row: '(link) r1-n1 C1-1.1-mzs5L4B-oFu-OKsA',
    put: (store) => store.links.put('r1-n1', { team: 'T1', user: 'UEVE' }, link),
    key: 'bellows:{f0:links}:of:r1-n1',
    field: 'C1-1.1-mzs5L4B-oFu-OKsA',
    change: (text) => text.replace('UEVE', 'UADA'),
    read: async (store) => (await store.links.of('r1-n1'))[0],
  },
  {
    what: 'where an answer stands',
    row: '(answer) a1',
    put: async (store) => {
      await store.answers.keep('a1', 'unknown', 'secret', 0);
      await store.answers.recordDelivery('a1', 'unknown', { channel: 'D1', ts: '1.1' }, 1_000);
    },
    key: 'bellows:{f0:answers}:item:a1',
    field: 'stands',
    change: (text) => text.replace('D1', 'C1'),
    read: async (store) => (await store.answers.get('a1'))?.stands,
  },
  {
    what: 'where a waiting line stands',
    row: '(answer) a2 line',
    put: async (store) => {
      await store.answers.wait('a2');
      await store.answers.keepLine('a2', { channel: 'D1', ts: '1.1' });
      await store.answers.keep('a2', 'known', 'secret', 0);
    },
    key: 'bellows:{f0:answers}:item:a2',
    field: 'line',
    change: (text) => text.replace('D1', 'C1'),
    read: async (store) => (await store.answers.get('a2'))?.line,
  },
];

describe.each(records)('$what', ({ row, put, key, field = '', change, read }) => {
  it('counts as Bellows wrote it', async () => {
    await put(at.store);
    expect(await read(at.store)).toBeDefined();
    expect(await forgedRows()).not.toContain(row);
  });

  it('does not count once changed, and is recorded', async () => {
    await put(at.store);
    const text = (await at.redis.hget(key, field)) ?? '';
    expect(change(text)).not.toBe(text);
    await at.redis.hset(key, field, change(text));
    expect(await read(at.store)).toBeUndefined();
    await expect.poll(forgedRows).toContain(row);
  });

  it('does not count without a signature', async () => {
    await put(at.store);
    const text = (await at.redis.hget(key, field)) ?? '';
    await at.redis.hset(key, field, text.slice(text.indexOf(' ') + 1));
    expect(await read(at.store)).toBeUndefined();
  });

  it('does not count under a key that is not ours', async () => {
    const eve = createSeal(`k1:${Buffer.alloc(32, 7).toString('base64')}`);
    await put(createStore({ redis: at.redis, forgeId: 'f0', seal: eve, now: at.now }));
    expect(await read(at.store)).toBeUndefined();
  });
});

describe('a signed record', () => {
  const copy = async (from: readonly [string, string], to: readonly [string, string]) =>
    at.redis.hset(...to, (await at.redis.hget(...from)) ?? '');

  it('does not count in another place', async () => {
    const { subscriptions } = at.store;
    await subscriptions.put(sub, 'acme/engine');
    await copy(['bellows:{f0:subs}:of:r7', 'T1/C1'], ['bellows:{f0:subs}:of:r7', 'T1/C2']);
    await copy(['bellows:{f0:subs}:of:r7', 'T1/C1'], ['bellows:{f0:subs}:of:r8', 'T1/C1']);
    expect((await subscriptions.of({ kind: 'repo', id: 7 })).map((each) => each.place.channel)).toEqual(['C1']);
    expect(await subscriptions.of({ kind: 'repo', id: 8 })).toEqual([]);
  });

  it('of a channel is read from Slack again if someone else wrote it', async () => {
    const { channels } = at.store;
    await channels.learn(place, facts);
    expect(await channels.facts(place, 1_000)).toMatchObject({ kind: 'public' });
    const text = (await at.redis.get(`${about}:facts`)) ?? '';
    await at.redis.set(`${about}:facts`, text.replace('public', 'private'));
    expect(await channels.facts(place, 1_000)).toBeUndefined();

    await channels.rememberOwn(place, 'U1');
    expect(await channels.isOwn(place)).toBe(true);
    expect(await channels.userOf(place)).toBe('U1');
    expect(await channels.isOwn({ team: 'T1', channel: 'C2' })).toBe(false);
    await at.redis.hset(`${about}:about`, 'own', '1');
    expect(await channels.isOwn(place)).toBe(false);
    expect(await channels.userOf(place)).toBeUndefined();
  });

  it('that cannot be opened raises the alarm too: undo, and pending sign-ins', async () => {
    const [ada, bob] = [
      { team: 'T1', user: 'U1' },
      { team: 'T1', user: 'U2' },
    ];
    await at.store.undo.put(ada, 'u1', { title: 'old' });
    await copy(['bellows:{f0:T1}:undo:U1', 'u1'], ['bellows:{f0:T1}:undo:U2', 'u1']);
    expect(await at.store.undo.get(bob, 'u1')).toBeUndefined();
    await expect.poll(forgedRows).toContain('(undo) u1');
    await at.store.pending.put(ada, { command: 'whoami' });
    await at.redis.rpush('bellows:{f0:T1}:pending:U2', ...(await at.redis.lrange('bellows:{f0:T1}:pending:U1', 0, -1)));
    expect(await at.store.pending.first(bob)).toBeUndefined();
    await expect.poll(forgedRows).toContain('(pending) T1/U2');
  });

  it('the result of an approval is shown as Bellows wrote it, or not at all', async () => {
    const { approvals } = at.store;
    await approvals.create(asked(at.now(), { id: 'p1' }), {});
    await approvals.cancel('p1', 'because');
    expect((await approvals.get('p1'))?.result?.summary).toBe('because');
    const key = 'bellows:{f0:approvals}:item:p1';
    await at.redis.hset(key, 'result', ((await at.redis.hget(key, 'result')) ?? '').replace('because', 'click here'));
    expect((await approvals.get('p1'))?.result).toBeUndefined();
  });
});

describe('signing', () => {
  const [newer = '', older = ''] = testKeys.split(',');
  const by = (keys: string) => createStore({ redis: at.redis, forgeId: 'f0', seal: createSeal(keys), now: at.now });

  it('is renewed with the first key, so that the older one can be removed', async () => {
    const before = by(older);
    await before.subscriptions.put(sub, 'acme/engine');
    await before.handovers.offer(sub, 'UADA', 'UEVE');
    await before.reminders.put(reminder);
    const both = by(testKeys);
    expect(await both.subscriptions.resign()).toBe(1);
    expect(await both.handovers.resign()).toBe(1);
    expect(await both.reminders.resign()).toBe(1);
    expect(await both.subscriptions.resign()).toBe(0);
    const after = by(newer);
    expect(await after.subscriptions.get(sub)).toMatchObject({ owner: 'UEVE' });
    expect(await after.handovers.get(sub)).toMatchObject({ to: 'UADA' });
    expect(await after.reminders.get('rem1')).toMatchObject({ owner: 'UEVE' });
  });

  it('renews nothing that someone else wrote', async () => {
    await by(older).subscriptions.put(sub, 'acme/engine');
    const key = 'bellows:{f0:subs}:of:r7';
    await at.redis.hset(key, 'T1/C1', ((await at.redis.hget(key, 'T1/C1')) ?? '').replace('UEVE', 'UADA'));
    expect(await at.store.subscriptions.resign()).toBe(0);
    expect(await at.store.subscriptions.get(sub)).toBeUndefined();
  });

  it('is not undone by changing a refused row; following again makes it the follower’s', async () => {
    await at.store.subscriptions.put(sub, 'acme/engine');
    const key = 'bellows:{f0:subs}:of:r7';
    await at.redis.hset(key, 'T1/C1', ((await at.redis.hget(key, 'T1/C1')) ?? '').replace('UEVE', 'UADA'));
    const { subscriptions } = at.store;
    expect(await subscriptions.change(sub, { filter: {} })).toBeUndefined();
    expect(await at.redis.hlen(key)).toBe(1);
    await subscriptions.put({ ...sub, owner: 'UBOB' }, 'acme/engine');
    expect(await subscriptions.get(sub)).toMatchObject({ owner: 'UBOB' });
    expect(await subscriptions.ownedBy({ team: 'T1', user: 'UEVE' })).toEqual([]);
  });
});
