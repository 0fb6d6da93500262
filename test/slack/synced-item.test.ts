import { describe, expect, it } from 'vitest';
import { parseFilter } from '../../src/feed/filter.js';
import { sourceKey } from '../../src/feed/sources/source.js';
import { boundToThread, itemOfThread, syncedItem } from '../../src/slack/thread-item.js';
import { plainJson } from '../../src/store/index.js';
import { useStore } from '../support/redis.js';

const at = useStore();
const place = { team: 'T1', channel: 'C1' };
const filter = () => plainJson(parseFilter('issues thread:sync'));

/** The card of an issue, in a channel that syncs the threads of one owner's repositories. */
async function card(repo: number, owner: string, ownerId: number, where = place): Promise<string> {
  const ts = `1.${repo}`;
  const url = `https://git.example.org/${owner}/engine/issues/1`;
  const about = { event: { item: { url }, repo: { id: repo, fullName: `${owner}/engine` } } };
  await at.store.threads.put(where, { item: `i${repo}`, ts, about });
  await at.store.sources.ensure(sourceKey({ kind: 'repo', id: repo }), { owner, name: 'engine', ownerId });
  return ts;
}

it('belongs to the owner whose threads are synced, by id and whatever Redis calls them', async () => {
  const target = { kind: 'owner', id: 5, pattern: 'eng*' } as const;
  await at.store.subscriptions.put({ place, target, owner: 'U1', filter: filter() }, 'acme');
  const [ours, other] = [await card(7, 'acme', 5), await card(8, 'other', 6)];
  expect((await syncedItem(at.store, place, ours))?.item).toBe('i7');
  expect(await syncedItem(at.store, place, other)).toBeUndefined();
  await at.redis.hset('bellows:{f0:subs}:names', 'o5', 'other');
  expect(await syncedItem(at.store, place, other)).toBeUndefined();
  expect((await syncedItem(at.store, place, ours))?.item).toBe('i7');
});

it.each([
  { kind: 'repo', id: 9 },
  { kind: 'owner', id: 5, pattern: 'eng*' },
] as const)('belongs to no subscription that is paused: %o', async (target) => {
  const here = { ...place, channel: 'C2' };
  const ts = await card(9, 'acme', 5, here);
  await at.store.subscriptions.put({ place: here, target, owner: 'U1', filter: filter() }, 'acme');
  expect((await syncedItem(at.store, here, ts))?.item).toBe('i9');
  await at.store.subscriptions.pause({ place: here, target }, { reason: 'out of reach', at: 0 });
  expect(await syncedItem(at.store, here, ts)).toBeUndefined();
  await at.store.subscriptions.put({ place: here, target, owner: 'U1', filter: filter() }, 'acme');
  expect((await syncedItem(at.store, here, ts))?.item).toBe('i9');
  await at.store.subscriptions.remove({ place: here, target });
});

describe('the item of a thread', () => {
  const url = 'https://git.example.org/acme/engine/issues/1';
  const repo = { id: 7, fullName: 'acme/engine', hidden: false };
  const put = (event: object, ts = '1.1') =>
    at.store.threads.put(place, { item: 'i1', ts, about: plainJson({ event }) });

  it('is what its card is about, with the repository as it was then', async () => {
    expect(await itemOfThread(at.store, place, '1.1')).toBeUndefined();
    await put({ item: { url }, repo });
    expect(await itemOfThread(at.store, place, '1.1')).toEqual({ item: 'i1', url, repo });
    await put({ item: { url }, repo: { id: 7, fullName: 'acme/engine' } });
    // who could read it is not known
    expect((await itemOfThread(at.store, place, '1.1'))?.repo?.hidden).toBe(true);
  });

  it('is known without its repository, and then syncs nothing', async () => {
    await at.store.subscriptions.put(
      { place, target: { kind: 'repo', id: 7 }, owner: 'U1', filter: filter() },
      'acme/engine',
    );
    for (const event of [{ item: { url } }, { item: { url }, repo: { id: 7, fullName: 'x'.repeat(301) } }]) {
      await put(event);
      expect(await itemOfThread(at.store, place, '1.1')).toEqual({ item: 'i1', url, repo: undefined });
      expect(await syncedItem(at.store, place, '1.1')).toBeUndefined();
    }
  });

  it('is none if its card is not readable, gone, or another message now', async () => {
    await put({ item: { url: 'no address' }, repo });
    expect(await itemOfThread(at.store, place, '1.1')).toBeUndefined();
    await put({ item: { url: `https://git.example.org/${'x'.repeat(2_000)}` }, repo });
    expect(await itemOfThread(at.store, place, '1.1')).toBeUndefined();
    await put({ item: { url }, repo });
    await put({ item: { url }, repo }, '2.2');
    expect(await itemOfThread(at.store, place, '1.1')).toBeUndefined();
    expect(await itemOfThread(at.store, place, '2.2')).toMatchObject({ url });
    await at.redis.del(...(await at.redis.keys('*i1')));
    expect(await itemOfThread(at.store, place, '2.2')).toBeUndefined();
  });

  it('binds what is sent about it to its repository’s id', async () => {
    const issue = { owner: 'Acme', repo: 'engine', index: 1 };
    const item = { item: 'i1', url, repo };
    expect(boundToThread({ issue, body: 'x' }, item)).toEqual({ issue: { ...issue, repoId: 7 }, body: 'x' });
    expect(boundToThread({ issue: { ...issue, repo: 'other' } }, item)).toEqual({ issue: { ...issue, repo: 'other' } });
    expect(boundToThread({ issue }, { ...item, repo: undefined })).toEqual({ issue });
  });
});

it.each([
  ['for this repository', { kind: 'repo', id: 10 }, 'issues thread:sync', true],
  ['for this repository, without syncing', { kind: 'repo', id: 10 }, 'issues', false],
  ['for another repository', { kind: 'repo', id: 11 }, 'issues thread:sync', false],
  ['for its owner', { kind: 'owner', id: 5, pattern: '*' }, 'issues thread:sync', true],
  ['for its owner’s other repositories', { kind: 'owner', id: 5, pattern: 'web*' }, 'issues thread:sync', false],
  [
    'for an owner with the number of this repository',
    { kind: 'owner', id: 10, pattern: '*' },
    'issues thread:sync',
    false,
  ],
  ['for another owner', { kind: 'owner', id: 6, pattern: '*' }, 'issues thread:sync', false],
] as const)('is synced by a subscription %s: %o %s %s', async (_, target, words, expected) => {
  const ts = await card(10, 'Acme', 5);
  await at.store.subscriptions.put({ place, target, owner: 'U1', filter: plainJson(parseFilter(words)) }, 'acme');
  expect((await syncedItem(at.store, place, ts)) !== undefined).toBe(expected);
});

it('is synced by one of several subscriptions, also if another one cannot be read', async () => {
  const ts = await card(10, 'acme', 5);
  const put = (id: number, given: ReturnType<typeof filter>) =>
    at.store.subscriptions.put({ place, target: { kind: 'repo', id }, owner: 'U1', filter: given }, 'acme');
  await put(9, plainJson({ nonsense: 1 }));
  expect(await syncedItem(at.store, place, ts)).toBeUndefined();
  await put(10, plainJson({ nonsense: 1 }));
  expect(await syncedItem(at.store, place, ts)).toBeUndefined();
  await put(10, filter());
  expect(await syncedItem(at.store, place, ts)).toMatchObject({ item: 'i10' });
});

it('belongs to no owner while its polling record does not name one', async () => {
  const ts = await card(10, 'acme', 5);
  const target = { kind: 'owner', id: 5, pattern: '*' } as const;
  await at.store.subscriptions.put({ place, target, owner: 'U1', filter: filter() }, 'acme');
  await at.store.sources.drop(sourceKey({ kind: 'repo', id: 10 }));
  expect(await syncedItem(at.store, place, ts)).toBeUndefined();
});
