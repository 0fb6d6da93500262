import { describe, expect, it } from 'vitest';
import { createSeal, createStore, type Store, subscriptionId } from '../../src/store/index.js';
import { asked } from '../support/asked.js';
import { testKeys, useStore } from '../support/redis.js';

const at = useStore();
const place = { team: 'T1', channel: 'C1' };
const sub = { place, target: { kind: 'repo', id: 7 } as const, owner: 'UEVE', filter: {} };
const reminder = {
  id: 'r1',
  team: 'T1',
  channel: 'C1',
  owner: 'UEVE',
  personal: false,
  repositories: [],
  days: ['daily'],
  time: '09:00',
  zone: 'Etc/UTC',
  labels: [],
  without: [],
  drafts: false,
};
const repository = { id: 7, owner: 'acme', name: 'engine' };
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
    what: 'the owner of a reminder',
    row: '(reminder) r1',
    put: (store) => store.reminders.put(reminder),
    key: 'bellows:{f0:reminders}:all',
    field: 'r1',
    change: (text) => text.replace('UEVE', 'UADA'),
    read: (store) => store.reminders.get('r1'),
  },
  {
    what: 'a waiting message',
    row: '(message) T1 C1 e1',
    put: (store) => store.outbox.append(place, [{ id: 'e1', body: { text: 'ours' } }]),
    key: `${about}:entries`,
    field: 'e1',
    change: (text) => text.replace('ours', 'mine'),
    read: async (store) => (await store.outbox.view(place)).entries[0],
  },
  {
    what: 'a default repository',
    row: '(default repository) T1 C1',
    put: (store) => store.channels.setDefaultRepository(place, repository),
    key: `${about}:about`,
    field: 'repository',
    change: (text) => text.replace('engine', 'vault'),
    read: (store) => store.channels.defaultRepository(place),
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
    what: 'where an answer stands',
    row: '(answer) a1',
    put: async (store) => {
      await store.answers.keep('a1', 'unknown', 'secret', 0);
      await store.answers.delivered('a1', 'unknown', { channel: 'D1', ts: '1.1' }, 1_000);
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
  {
    what: 'how a source is polled',
    row: '(source) repo:7',
    put: (store) => store.sources.ensure('repo:7', { owner: 'acme', hidden: true }),
    key: 'bellows:{f0:sources}:state',
    field: 'repo:7',
    change: (text) => text.replace('true', 'false'),
    read: (store) => store.sources.get('repo:7'),
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
    const { subscriptions, reminders, outbox, channels } = at.store;
    await subscriptions.put(sub, 'acme/engine');
    await copy(['bellows:{f0:subs}:of:r7', 'T1/C1'], ['bellows:{f0:subs}:of:r7', 'T1/C2']);
    await copy(['bellows:{f0:subs}:of:r7', 'T1/C1'], ['bellows:{f0:subs}:of:r8', 'T1/C1']);
    expect((await subscriptions.of({ kind: 'repo', id: 7 })).map((each) => each.place.channel)).toEqual(['C1']);
    expect(await subscriptions.of({ kind: 'repo', id: 8 })).toEqual([]);

    await reminders.put(reminder);
    await copy(['bellows:{f0:reminders}:all', 'r1'], ['bellows:{f0:reminders}:all', 'r2']);
    expect((await reminders.all()).map(({ id }) => id)).toEqual(['r1']);

    await outbox.append(place, [{ id: 'e1', body: {} }]);
    await at.redis.zadd('bellows:{f0:channel:T1:C2}:order', 1, 'e1');
    await copy([`${about}:entries`, 'e1'], ['bellows:{f0:channel:T1:C2}:entries', 'e1']);
    const { entries, refused } = await outbox.view({ team: 'T1', channel: 'C2' });
    expect({ entries, refused: refused.map(({ id }) => id) }).toEqual({ entries: [], refused: ['e1'] });

    await channels.setDefaultRepository(place, repository);
    await copy([`${about}:about`, 'repository'], ['bellows:{f0:channel:T1:C2}:about', 'repository']);
    expect(await channels.defaultRepository({ team: 'T1', channel: 'C2' })).toBeUndefined();
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

  it('of a card is redrawn only as it was posted', async () => {
    const { threads } = at.store;
    await threads.put(place, { item: 'i1', ts: '1.1', about: { title: 'ours' } });
    expect(await threads.get(place, 'i1')).toMatchObject({ ts: '1.1' });
    const key = `${about}:thread:i1`;
    await at.redis.set(key, ((await at.redis.get(key)) ?? '').replace('ours', 'mine'));
    expect(await threads.get(place, 'i1')).toBeUndefined();
    await expect.poll(forgedRows).toContain('(card) T1 C1 i1');
  });

  it('of an event is skipped in the log, and the next one is read', async () => {
    const { marks } = at.store;
    const opened = await marks.open('repo:7', 10_000);
    if (!opened) throw new Error('nobody else polls');
    const events = ['e1', 'e2'].map((id) => ({ id, body: { title: id } }));
    await marks.commit('repo:7', opened.token, { time: 1, seen: [] }, events);
    await at.redis.xadd('bellows:{f0:source:repo%3A7}:log', '3-0', 'i', 'e3', 'b', '{"title":"mine"}');
    expect((await marks.unread('repo:7')).map(({ body }) => body)).toEqual([
      { title: 'e1' },
      { title: 'e2' },
      undefined,
    ]);
  });

  it('that waits for its item is left out if someone else wrote it', async () => {
    const { incomplete } = at.store;
    await incomplete.add('i1', { id: 'e1', source: 'repo:7', about: {}, event: { title: 'ours' } });
    const key = 'bellows:{f0:incomplete}:item:i1';
    await at.redis.hset(key, 'e2', (await at.redis.hget(key, 'e1')) ?? '');
    expect((await incomplete.waiting(['i1'])).map(({ id }) => id)).toEqual(['e1']);
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
    await before.reminders.put(reminder);
    await before.outbox.append(place, [{ id: 'e1', body: {} }]);
    await before.handovers.offer(sub, 'UADA', 'UEVE');
    await before.channels.setDefaultRepository(place, repository);
    const both = by(testKeys);
    expect(await both.channels.defaultRepository(place)).toEqual(repository);
    expect(await both.subscriptions.resign()).toBe(1);
    expect(await both.reminders.resign()).toBe(1);
    expect(await both.handovers.resign()).toBe(1);
    expect(await both.outbox.resign(place)).toBe(1);
    expect(await both.subscriptions.resign()).toBe(0);
    const after = by(newer);
    expect(await after.subscriptions.get(sub)).toMatchObject({ owner: 'UEVE' });
    expect(await after.reminders.get('r1')).toMatchObject({ owner: 'UEVE' });
    expect((await after.outbox.view(place)).entries).toHaveLength(1);
    expect(await after.handovers.get(sub)).toMatchObject({ to: 'UADA' });
    expect(await after.channels.defaultRepository(place)).toEqual(repository);
  });

  it('renews nothing that someone else wrote', async () => {
    await by(older).subscriptions.put(sub, 'acme/engine');
    const key = 'bellows:{f0:subs}:of:r7';
    await at.redis.hset(key, 'T1/C1', ((await at.redis.hget(key, 'T1/C1')) ?? '').replace('UEVE', 'UADA'));
    expect(await at.store.subscriptions.resign()).toBe(0);
    expect(await at.store.subscriptions.get(sub)).toBeUndefined();
  });

  it('by an operator makes unsigned records of an earlier version count', async () => {
    await at.store.subscriptions.put(sub, 'acme/engine');
    await at.store.reminders.put(reminder);
    for (const [key, field] of [
      ['bellows:{f0:subs}:of:r7', 'T1/C1'],
      ['bellows:{f0:reminders}:all', 'r1'],
    ] as const) {
      const text = (await at.redis.hget(key, field)) ?? '';
      await at.redis.hset(key, field, text.slice(text.indexOf(' ') + 1));
    }
    const { subscriptions, reminders } = at.store;
    expect(await subscriptions.refused()).toMatchObject([{ owner: 'UEVE', place }]);
    expect(await reminders.refused()).toMatchObject([{ id: 'r1' }]);
    const changes = await reminders.changes();
    expect([await subscriptions.adopt(), await reminders.adopt()]).toEqual([1, 1]);
    expect(await reminders.changes()).toBe(changes + 1);
    expect(await subscriptions.get(sub)).toMatchObject({ owner: 'UEVE' });
    expect(await reminders.get('r1')).toMatchObject({ owner: 'UEVE' });
    expect([await subscriptions.adopt(), await reminders.adopt()]).toEqual([0, 0]);
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
