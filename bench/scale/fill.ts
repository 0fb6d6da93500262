import { parseFilter } from '../../src/feed/filter.js';
import { storedMark } from '../../src/feed/mark.js';
import { sourceKey } from '../../src/feed/sources/source.js';
import { type Connection, plainJson, type Store } from '../../src/store/index.js';
import { createKeys } from '../../src/store/keys.js';
import { channelOf, featureOf, personAt, repositoryAt, sizes, teamOf } from './sizes.js';

interface Place {
  readonly id: number;
  readonly ownerId: number;
}

const lanes = 100;
const zaddAtOnce = 2_000;
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

/** How often each kind of source is read once nothing has happened for long. */
const idleMs = { repo: 2_400_000, owner: 75_000, items: 300_000, inbox: 6 * 3_600_000 };
type Kind = keyof typeof idleMs;
/** Names and owners of repositories are read this often. */
const rereadMs = 600_000;

interface Rest {
  /** Within how many milliseconds all of a kind come due, if not as often as they are read. */
  readonly due?: Partial<Record<Kind, number>>;
  /** How many rows each repository's feed has so far; at first only its creation. */
  readonly rows?: number;
}

/** Each source as after a long idle time: read up to now, and all of a kind due in turn. Returns when the first ones are. */
export async function rest(
  { store, redis }: { readonly store: Store; readonly redis: Connection },
  repositories: readonly Place[],
  url: string,
  { due = {}, rows = 1 }: Rest = {},
): Promise<number> {
  const now = Date.now();
  await each(repositories.length, async (at) => {
    const { owner, name } = repositoryAt(at);
    const { id = 0, ownerId = 0 } = repositories[at] ?? {};
    const readAt = now - Math.round((at * rereadMs) / repositories.length);
    const known = { owner, name, ownerId, hidden: false, wasOpen: true, defaultBranch: 'main', readAt };
    await store.sources.ensure(`repo-${id}`, { ...known, url: `${url}/${owner}/${name}` });
    await store.marks.begin(`repo-${id}`, storedMark({ v: 1, time: now - 1_000, seen: {}, total: rows }));
  });
  const all = await store.sources.list();
  const kinds = ['repo', 'owner', 'items', 'inbox'] as const;
  const of = (kind: Kind) => all.filter(({ source }) => source.startsWith(`${kind}-`));
  for (const kind of kinds) {
    const found = of(kind);
    await each(found.length, async (at) => {
      const one = found[at];
      if (one) await store.sources.note(one.source, { ...one.state, tempoMs: idleMs[kind] });
    });
  }
  // all at once and past the store, which gives a next time only to what was polled
  const keys = createKeys(store.forgeId);
  await redis.del(keys.sourcesWoken(), keys.sourcesClaimed(), keys.sourcesHeld());
  const begin = Date.now() + 10_000;
  for (const kind of kinds) {
    const found = of(kind);
    const within = due[kind] ?? idleMs[kind];
    const planned = found.flatMap(({ source }, at) => [Math.round(begin + (at * within) / found.length), source]);
    const key = kind === 'inbox' ? keys.inboxesDue() : keys.sourcesDue();
    for (let at = 0; at < planned.length; at += zaddAtOnce)
      await redis.zadd(key, ...planned.slice(at, at + zaddAtOnce));
  }
  return begin;
}
