import { createRedisMock } from 'js-redis-server';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Connection,
  checkRedis,
  close,
  connect,
  createSeal,
  createStore,
  type Lease,
  openNamespace,
  ready,
  type Store,
} from '../../src/store/index.js';
import { catalog } from '../../src/store/keys.js';
import { asked } from '../support/asked.js';
import { deploymentOf } from '../support/deployment.js';
import { familyOf } from '../support/key-family.js';
import { allKeys, freshRedis, strayKeys, testKeys } from '../support/redis.js';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of opened.splice(0).reverse()) await end();
});

async function single(): Promise<Connection> {
  const { redis, close: end } = await freshRedis();
  opened.push(end);
  return redis;
}

async function threeMasters(): Promise<Connection> {
  const cluster = await createRedisMock({ cluster: { masters: 3 } });
  opened.push(() => cluster.close());
  const nodes = cluster.addresses().map(({ host, port }) => `${host}:${port}`);
  const redis = connect(`redis+cluster://${nodes.join(',')}`);
  opened.push(() => close(redis));
  await ready(redis);
  return redis;
}

const person = { team: 'T1', user: 'U1' };
const place = { team: 'T1', channel: 'C1' };
const party = { ...person, login: 'ada', forgeUserId: 1 };
const given = (lease: Lease | undefined): Lease => {
  if (!lease) throw new Error('the lease was free');
  return lease;
};

const reminder = {
  id: 'r1',
  team: 'T1',
  channel: 'C1',
  owner: 'U1',
  personal: false,
  repositories: [],
  days: ['daily'],
  time: '09:30',
  zone: 'Europe/Paris',
  labels: [],
  without: [],
  drafts: false,
};

const deployment = deploymentOf();

/** Uses every part once, so that every family of keys exists afterwards. */
async function everything(store: Store, now: number): Promise<void> {
  await openNamespace(store.redis, store.forgeId, 'https://git.example');
  await checkRedis(store.redis, { id: store.forgeId, name: store.forgeId, address: '' });
  const link = { login: 'ada', forgeUserId: 1, verified: true, credential: { kind: 'token', token: 't' } } as const;
  const { linkedAt } = await store.accounts.put(person, link);
  await store.accounts.markRevoked(person, linkedAt);
  await store.pending.put(person, {});
  const oauth = { kind: 'oauth', access: 'a', refresh: 'r', expiresAt: now } as const;
  await store.signIns.begin(person, 'verifier');
  await store.signIns.offer(person, { login: 'ada', forgeUserId: 1, credential: oauth });
  given(await store.renewals.lease(person).acquire(60_000));
  await store.settings.put(person, { kinds: {}, quiet: null });
  await store.undo.put(person, 'u1', {});
  await store.agents.put({
    ...{ id: 'g1', ...person, name: 'Bot', may: ['*'], repos: [], meant: {}, pace: 30, channel: null },
    ...{ login: 'ada', forgeUserId: 1, linkedAt, expiresAt: now + 1000 },
  });
  await store.agents.recordUse('g1');
  await store.calls.put({ id: 'c1', agent: 'g1' }, { state: 'running', text: '' });
  await store.departures.note(person);
  await store.departures.setLookedTo('7');
  await store.deployments.begin(deployment);
  await store.deployments.freeze('production', { by: deployment.by, until: now + 60_000 });
  await store.jobs.mark('j1', 'sent');
  await store.follows.put('j1', { owner: 'a', repo: 'b', run: 1, person, since: 0 }, 0);
  const pull = { fullName: 'a/b', number: 8, head: 'gauge', shown: '', changedAt: 0 };
  await store.checks.put(12, 'r12-n8', pull, 0);
  await store.checks.wake(12, { branch: 'gauge' }, 0);
  expect(await store.checks.due(10, 0)).toMatchObject([{ repo: 12, thread: 'r12-n8', pull: { head: 'gauge' } }]);
  await store.checks.put(12, 'r12-n8', pull, 0);
  const queue = {
    repository: 1,
    owner: 'a',
    repo: 'b',
    base: 'main',
    entries: [],
    recent: [],
    asked: [],
    branches: [],
  };
  await store.queues.change(queue, () => queue);
  await store.drains.put('d1', { runner: 1, person, tell: true, since: 0 }, 0);
  const taken = {
    repo: { id: 1, ownerId: 1, fullName: 'acme/engine' },
    index: 1,
    person,
    login: 'ada',
    at: 0,
    until: 1,
  };
  await store.reviews.swap('r1-n1', { text: '' }, { ...taken, requested: true, asked: false });
  await store.claims.take('rerun:7', '1', 'j1', person);
  await store.turns.admit({ person, id: 'j1' });
  await store.turns.leave({ person, id: 'j2' });
  await store.links.put('r1-n2', person, { channel: 'C1', ts: '1.1', url: 'https://git.example.org/a/b', shown: '' });
  await store.links.touch('r1-n2', 0);
  await store.replies.begin(place, 'r1-n2', 'U1');
  await store.replies.say(place, 'r1-n2', 'ada', 'issue close');
  await store.replies.keep(place, '1.1', { comment: 7, owner: 'acme', repo: 'engine', user: 'U1', login: 'ada' });
  await store.answers.keep('j1', 'known', {}, 0);
  await store.reminders.put(reminder);
  await store.reminders.recordLook(1);
  await store.approvals.create(asked(now, { requester: party }), {});
  await store.approvals.unvote('a1', party);
  for (const command of ['one', 'two']) {
    await store.audit.append({ who: person, command, args: {}, outcome: 'done' });
  }
  await store.audit.trim(1);
  await store.redis.xadd(`bellows:{${store.forgeId}:audit}:chain`, '9-0', 'e', 'x', 'h', 'y');
  await store.audit.append({ who: person, command: 'three', args: {}, outcome: 'done' });
  await store.subscriptions.put({ place, target: { kind: 'repo', id: 7 }, owner: 'U1', filter: {} }, 'ada/engine');
  await store.subscriptions.rename({ kind: 'repo', id: 7 }, 'ada/motor');
  await store.absences.note({ place, target: { kind: 'repo', id: 7 } }, { id: 7, fullName: 'ada/motor' });
  await store.lostChannels.note(place);
  await store.outbox.leaveOut(place, 'one');
  await store.handovers.offer({ place, target: { kind: 'repo', id: 7 } }, 'U2', 'U1');
  await store.sources.ensure('repo-7', null);
  await store.sources.ensure('inbox-T1-U1', null);
  await store.sources.wake('repo-7');
  await store.sources.claimDue(1, 60_000);
  await store.sources.schedule({ source: 'repo-7', hold: 0 }, { at: 1, heldUntil: 1 });
  const source = given(await store.marks.lease('repo-7').acquire(60_000));
  await store.marks.commit('repo-7', source, { time: 1, seen: [] }, [
    { id: 'e1', body: {} },
    { id: 'e2', body: {} },
  ]);
  await store.marks.open('repo-7', 60_000);
  await store.marks.advance('repo-7', 1);
  await store.marks.recordOwn('repo-7', ['e9']);
  await store.incomplete.add('r7-n1', { id: 'e1', source: 'repo-7', about: null, event: null });
  await store.channels.setDefaultRepository(place, { id: 7, owner: 'ada', name: 'engine' });
  await store.channels.learn(place, { kind: 'public', shared: false, member: true, archived: false });
  await store.outbox.append(
    place,
    ['e1', 'e2', 'e3'].map((id) => ({ id, card: `card-${id}`, body: {} })),
  );
  await store.outbox.append({ ...place, lane: 7 }, [{ id: 'e1', body: {} }]);
  await store.outbox.forget(place, ['e9']);
  const channel = given(await store.outbox.lease(place).acquire(60_000));
  await store.outbox.begin(place, channel, { id: 'i1', entries: ['e1'] }, 10_000);
  await store.outbox.finish(place, channel, 'i1', {
    mark: { item: 'issue/7/1', ts: '1.5' },
    shown: { ts: '1.5', events: [{ address: 'x', event: 'e1' }] },
  });
  const sick = { entries: [{ id: 'e3', at: now, body: {} }], code: 'internal_error', retry: true };
  await store.outbox.setAside(place, channel, sick);
  await store.outbox.begin(place, channel, { id: 'i2', entries: ['e2'] }, 10_000);
  await store.intervals.take('tick', 60_000);
  await store.rounds.note('acme', 'ada');
  await store.clocks.put(
    1,
    new Map([['12 user ada', { asked: now, used: 0, at: now, running: true, limit: 1_000, said: [] }]]),
  );
  await store.pace.take('T1/C1', { intervalMs: 60_000, burst: 1 });
  const made = [{ ...place, kept: true, clause: 'issues' }];
  const address = 'https://git.example/ada/engine/issues/1';
  await store.decisions.record([{ address, event: 'e1', kind: 'issues', made }]);
}

describe.each([
  ['one Redis', single],
  ['a cluster of three masters', threeMasters],
])('on %s', (_, start) => {
  it('every key belongs to the catalog, and has the type it says', async () => {
    const redis = await start();
    const now = Date.now();
    const store = createStore({ redis, forgeId: 'f0', seal: createSeal(testKeys), now: () => now });
    await everything(store, now);
    expect(await strayKeys(redis)).toEqual([]);
    const found = await Promise.all((await allKeys(redis)).map(async (key) => [familyOf(key), await redis.type(key)]));
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(Object.entries(catalog).map(([name, { type }]) => [name, type])),
    );
  });

  it('a person is forgotten in one step', async () => {
    const redis = await start();
    const store = createStore({ redis, forgeId: 'f0', seal: createSeal(testKeys) });
    await store.accounts.put(person, {
      login: 'ada',
      forgeUserId: 1,
      verified: true,
      credential: { kind: 'token', token: 't' },
    });
    await store.undo.put(person, 'u1', {});
    await store.accounts.forget(person);
    expect(await allKeys(redis)).toEqual(['bellows:f0:teams']);
  });
});
