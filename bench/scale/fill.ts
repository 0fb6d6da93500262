import { parseFilter } from '../../src/feed/filter.js';
import { storedMark } from '../../src/feed/mark.js';
import { plainJson, type Store } from '../../src/store/index.js';
import { channelOf, featureOf, repositoryAt, sizes, teamOf } from './sizes.js';

interface Place {
  readonly id: number;
  readonly ownerId: number;
}

const lanes = 100;
const restMs = 2_400_000;

/** A few at a time, each once. */
async function each(count: number, work: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let at = next++; at < count; at = next++) await work(at);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Creates every subscription. */
export const subscribe = (store: Store, repositories: readonly Place[]): Promise<void> =>
  each(sizes.repositories * sizes.followersEach, async (at) => {
    const [repository, follower] = [Math.floor(at / sizes.followersEach), at % sizes.followersEach];
    const channel = channelOf(repository, follower);
    const { owner, name } = repositoryAt(repository);
    const filter = plainJson(parseFilter(featureOf(repository, follower)));
    const target = { kind: 'repo' as const, id: repositories[repository]?.id ?? 0 };
    const place = { team: teamOf(channel), channel };
    await store.subscriptions.put({ place, target, owner: 'U0ADA00001', filter }, `${owner}/${name}`);
  });

/** Each repository as after a long idle time: read up to now, due within the next forty minutes. */
export async function rest(store: Store, repositories: readonly Place[], url: string): Promise<void> {
  const now = Date.now();
  await each(repositories.length, async (at) => {
    const { owner, name } = repositoryAt(at);
    const { id = 0, ownerId = 0 } = repositories[at] ?? {};
    const known = { owner, name, ownerId, hidden: false, wasOpen: true, defaultBranch: 'main', readAt: now };
    await store.sources.ensure(`repo-${id}`, { ...known, url: `${url}/${owner}/${name}` });
    // its creation is the only row so far
    await store.marks.begin(`repo-${id}`, storedMark({ v: 1, time: now - 1_000, seen: {}, total: 1 }));
    // what an earlier round made busy is due at once, and so found below
    await store.sources.wake(`repo-${id}`);
  });
  const claimed = await store.sources.claimDue(2 * repositories.length, 60_000);
  await each(claimed.length, async (at) => {
    const due = claimed[at];
    const state = due && (await store.sources.get(due.source));
    if (due && state)
      await store.sources.schedule(due, {
        at: now + 10_000 + (at * restMs) / claimed.length,
        state: { ...state, tempoMs: restMs },
      });
  });
}
