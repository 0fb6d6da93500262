import { expect, it } from 'vitest';
import { parseFilter } from '../../src/feed/filter.js';
import { sourceKey } from '../../src/feed/sources/source.js';
import { syncedItem } from '../../src/slack/thread-item.js';
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
