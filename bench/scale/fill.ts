import { parseFilter } from '../../src/feed/filter.js';
import { storedMark } from '../../src/feed/mark.js';
import { sourceKey } from '../../src/feed/sources/source.js';
import { type DueSource, plainJson, type Store } from '../../src/store/index.js';
import { channelOf, featureOf, personAt, repositoryAt, sizes, teamOf } from './sizes.js';

interface Place {
  readonly id: number;
  readonly ownerId: number;
}

const lanes = 100;
const restMs = 2_400_000;
const inboxRestMs = 6 * 3_600_000;
const wokenAtOnce = 1_000;
const fortnightMs = 14 * 86_400_000;

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

/** Links everyone with the same token; webhooks announced what came into their inboxes, the last a fortnight ago. */
export const link = (store: Store, team: string, token: string): Promise<void> =>
  each(sizes.people, async (at) => {
    const person = { team, user: personAt(at) };
    const credential = { kind: 'token' as const, token };
    const login = `person-${at}`;
    await store.accounts.put(person, { login, forgeUserId: 1_000_000 + at, verified: true, credential });
    const inbox = sourceKey({ kind: 'inbox', ...person });
    await store.marks.begin(inbox, storedMark({ v: 1, time: Date.now() - fortnightMs, seen: {} }));
    await store.sources.ensure(inbox, { owner: '-' });
    const idle = { told: true, newAt: Date.now() - fortnightMs };
    await store.sources.note(inbox, { about: { owner: '-' }, ...idle });
  });

/** In how many milliseconds all sources of a kind come due, one after the other. */
interface Due {
  readonly repositories: number;
  readonly inboxes: number;
}

/** Each source as after a long idle time: read up to now, and due again as often as then, unless `due` says otherwise. */
export async function rest(
  store: Store,
  repositories: readonly Place[],
  url: string,
  due: Due = { repositories: restMs, inboxes: inboxRestMs },
): Promise<void> {
  const now = Date.now();
  await each(repositories.length, async (at) => {
    const { owner, name } = repositoryAt(at);
    const { id = 0, ownerId = 0 } = repositories[at] ?? {};
    const known = { owner, name, ownerId, hidden: false, wasOpen: true, defaultBranch: 'main', readAt: now };
    await store.sources.ensure(`repo-${id}`, { ...known, url: `${url}/${owner}/${name}` });
    // its creation is the only row so far
    await store.marks.begin(`repo-${id}`, storedMark({ v: 1, time: now - 1_000, seen: {}, total: 1 }));
  });
  // whatever is not due could not be claimed
  const all = (await store.sources.list()).map(({ source }) => source);
  for (let at = 0; at < all.length; at += wokenAtOnce) await store.sources.wake(...all.slice(at, at + wokenAtOnce));
  const claimed = await store.sources.claimDue(all.length, 60_000);
  const inboxes = claimed.filter(({ source }) => source.startsWith('inbox-'));
  const others = claimed.filter(({ source }) => !source.startsWith('inbox-'));
  const begin = Date.now() + 10_000;
  await each(others.length, (at) => plan(store, others[at], begin + (at * due.repositories) / others.length, restMs));
  await each(inboxes.length, (at) =>
    plan(store, inboxes[at], begin + (at * due.inboxes) / inboxes.length, inboxRestMs),
  );
}

async function plan(store: Store, due: DueSource | undefined, at: number, tempoMs: number): Promise<void> {
  if (due?.state) await store.sources.schedule(due, { at: Math.round(at), state: { ...due.state, tempoMs } });
}
