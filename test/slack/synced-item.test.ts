import { expect, it } from 'vitest';
import { parseFilter } from '../../src/feed/filter-words.js';
import { sourceKey } from '../../src/feed/sources/source.js';
import { syncedItem } from '../../src/slack/thread-item.js';
import { plainJson } from '../../src/store/index.js';
import { useStore } from '../support/redis.js';

const at = useStore();
const place = { team: 'T1', channel: 'C1' };
const filter = () => plainJson(parseFilter('issues thread:sync'));

/** The card of an issue, in a channel that syncs the threads of one owner's repositories. */
async function card(repo: number, owner: string, ownerId: number): Promise<string> {
  const ts = `1.${repo}`;
  const url = `https://git.example.org/${owner}/engine/issues/1`;
  const about = { event: { item: { url }, repo: { id: repo, fullName: `${owner}/engine` } } };
  await at.store.threads.put(place, { item: `i${repo}`, ts, about });
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
