import { LRUCache } from 'lru-cache';
import { aboutOf } from '../features/subscriptions/save.js';
import { mostOfOwner } from '../features/subscriptions/target.js';
import { covers } from '../feed/covers.js';
import { Filter, needs } from '../feed/filter.js';
import { readSource, SourceAbout, sourceKey } from '../feed/sources/source.js';
import { ifAnswered, isRefused } from '../forge/possible.js';
import { splitFullName } from '../full-name.js';
import { type Lease, type Person, plainJson, type SourceState, type Subscription } from '../store/index.js';
import type { FeedDeps } from './feed-deps.js';
import type { RepoFacts } from './repo-facts.js';
import { createSight, type RepositoryName } from './sight.js';
import { end, pause } from './subscription-state.js';
import { createUnreadableLog } from './unreadable.js';
import { visible } from './visible.js';

/** As many as fit into a lease; the next run drops the others. */
const mostAtOnce = 500;

/** Drops what nobody follows, under its lease: a new follower waits for the lease and begins anew. */
function createDropIdle({ store: { marks, sources }, tempo }: FeedDeps) {
  return async (idle: readonly string[], wanted: () => Promise<(source: string) => boolean>): Promise<void> => {
    const held = new Map<string, Lease>();
    for (const source of idle.slice(0, mostAtOnce)) {
      const opened = await marks.open(source, tempo.leaseMs);
      if (opened) held.set(source, opened.token);
    }
    try {
      const isWanted = held.size > 0 ? await wanted() : () => true;
      for (const [source, token] of held) {
        if (isWanted(source) || !(await marks.lease(source).renew(token, tempo.leaseMs))) continue;
        // first: left behind without its source, a mark would make the next follower read all that came since
        await marks.clear(source);
        await sources.drop(source);
      }
    } finally {
      for (const [source, token] of held) await marks.lease(source).release(token);
    }
  };
}

type DropIdle = ReturnType<typeof createDropIdle>;

const fewPeople = 1_000;
/** Ten minutes of the usual turns. */
const turnsOfRound = 20;

/** Linking and signing out change inboxes at once; this mends what was interrupted, a part of the people in each turn. */
function createInboxRound({ store, team }: FeedDeps, dropIdle: DropIdle): () => Promise<void> {
  const keyOf = (person: Person) => sourceKey({ kind: 'inbox', ...person });
  let from = '0';
  return async () => {
    const part = Math.ceil((await store.accounts.count(team)) / turnsOfRound);
    const { next, accounts } = await store.accounts.some(team, from, Math.max(fewPeople, part));
    from = next;
    const known = new Map(await store.sources.states(accounts.map(({ person }) => keyOf(person))));
    const idle = new Map<string, Person>();
    for (const { person, state } of accounts) {
      const key = keyOf(person);
      if (state !== 'active' && known.has(key)) idle.set(key, person);
      if (state === 'active' && !known.has(key)) await store.sources.ensure(key, { owner: '-' });
    }
    await dropIdle([...idle.keys()], async () => {
      const again = await Promise.all(
        [...idle].map(async ([key, person]) => [key, await store.accounts.get(person)] as const),
      );
      const active = new Set(again.flatMap(([key, account]) => (account?.state === 'active' ? [key] : [])));
      return (source) => active.has(source);
    });
  };
}

/** Above this, an owner's feed and list are polled instead of each repository. */
const few = 10;

/** What is polled now. */
interface Known {
  readonly states: ReadonlyMap<string, SourceState>;
  readonly abouts: ReadonlyMap<string, SourceAbout>;
  /** Owners whose feed and list cover many of them. */
  readonly many: ReadonlyMap<number, string>;
}

function readKnown(sources: readonly { readonly source: string; readonly state: SourceState }[]): Known {
  const abouts = new Map<string, SourceAbout>();
  for (const { source, state } of sources) {
    const read = SourceAbout.safeParse(state.about).data;
    if (!read) continue;
    // whether many are polled together is determined anew each time
    const { together: _, ...about } = read;
    abouts.set(source, about);
  }
  return { states: new Map(sources.map(({ source, state }) => [source, state])), abouts, many: manyOf(abouts) };
}

/** The owners with many repositories among these sources, by id, with their names. */
function manyOf(sources: ReadonlyMap<string, SourceAbout>): ReadonlyMap<number, string> {
  const counts = new Map<number, number>();
  const found = new Map<number, string>();
  for (const [source, { ownerId, owner }] of sources) {
    if (ownerId === undefined || readSource(source)?.kind !== 'repo') continue;
    const count = (counts.get(ownerId) ?? 0) + 1;
    counts.set(ownerId, count);
    if (count > few) found.set(ownerId, owner);
  }
  return found;
}

const ownersRemembered = 1_000;

/** Repositories by id, with how to poll each. */
type Repositories = ReadonlyMap<number, SourceAbout>;

/** An owner's repositories in a few pages. Listed again when a feed shows a change, and now and then. */
function createOwnerLists({ service, policy, now, log }: FeedDeps) {
  const logUnreadable = createUnreadableLog(log);
  const lists = new LRUCache<number, { readonly at: number; readonly repos: Repositories }>({ max: ownersRemembered });
  // a repository in no feed is found as soon as its rows would be
  const freshMs = policy.feed.idleSeconds * 1_000;

  return async (owner: number, changedAt: number): Promise<Repositories> => {
    const before = lists.get(owner);
    if (before && before.at > changedAt && now() - before.at < freshMs) return before.repos;
    const repos = new Map<number, SourceAbout>();
    const at = now();
    for await (const repo of service.repos.search.each(
      { query: { uid: owner, exclusive: true } },
      { max: mostOfOwner, onUnreadable: logUnreadable(sourceKey({ kind: 'owner', id: owner })) },
    ))
      repos.set(repo.id, aboutOf(repo, at));
    lists.set(owner, { at, repos });
    return repos;
  };
}

/** Repositories rarely change names and owners. */
const rereadMs = 10 * 60_000;

type WantedSources = Map<string, SourceAbout>;

interface Round {
  readonly known: Known;
  readonly wanted: WantedSources;
  /** Lists the server lacks are never requested. */
  readonly hasRuns: boolean;
  readonly hasTimeline: boolean;
}

type Ask = ReturnType<typeof needs>;

/** What the unpaused subscriptions to a repository want together; undefined if there are none. */
function askOf(subs: readonly Subscription[]): Ask | undefined {
  const active = subs.filter(({ paused }) => !paused);
  if (active.length === 0) return undefined;
  const each = active.flatMap(({ filter }) => {
    const read = Filter.safeParse(filter);
    return read.success ? [needs(read.data)] : [];
  });
  return {
    runs: each.some(({ runs }) => runs),
    stuck: each.some(({ stuck }) => stuck),
    drafts: each.some(({ drafts }) => drafts),
    requests: each.some(({ requests }) => requests),
    labels: [...new Set(each.flatMap(({ labels }) => labels))],
  };
}

/** What is wanted of each followed repository: read again when that changed, and to be sure a part of all in each turn. */
function createAsks({ store: { subscriptions } }: FeedDeps) {
  const known = new Map<number, Promise<Ask | undefined>>();
  let until: number | undefined;
  let round: number[] = [];
  return {
    async refresh(): Promise<void> {
      const found = await subscriptions.changes(until);
      until = found.until;
      if (!found.changed) known.clear();
      for (const { kind, id } of found.changed ?? []) if (kind === 'repo') known.delete(id);
      if (round.length === 0) round = [...known.keys()];
      for (const id of round.splice(0, Math.ceil(known.size / turnsOfRound))) known.delete(id);
    },
    of(id: number): Promise<Ask | undefined> {
      const before = known.get(id);
      if (before) return before;
      const ask = subscriptions.of({ kind: 'repo', id }).then(askOf);
      known.set(id, ask);
      ask.catch(() => known.delete(id));
      return ask;
    },
  };
}

/** A forge being restored may answer like this for a moment. */
const sureAfterMs = 60_000;

/** An account that the forge refuses says nothing about the repository, like no account at all. */
const unknownIfRefused = (error: unknown): undefined => {
  if (!isRefused(error)) throw error;
};

/** A repository the bot's account cannot find: gone for all its owners, or only invisible to the bot. Undefined once nothing is left to poll. */
function createMissing(deps: FeedDeps) {
  const { store, now, log } = deps;
  return async (
    repo: RepositoryName,
    subs: readonly Subscription[],
    before: SourceAbout | undefined,
  ): Promise<SourceAbout | undefined> => {
    const since = before?.missingSince ?? now();
    const { owner, repo: name } = splitFullName(repo.fullName);
    const inDoubt = { owner, name, ...before, readAt: now(), missingSince: since };
    if (now() - since < sureAfterMs) return inDoubt;
    // asked anew: what someone saw a few minutes ago may be what is missing now
    const sight = createSight(deps);
    const sees = ({ place: { team }, owner: user }: Subscription) =>
      sight({ team, user }, repo).catch(unknownIfRefused);
    const seen = await Promise.all(subs.map(sees));
    if (seen.includes(true)) {
      for (const sub of subs) await pause(deps, sub, 'unreadable', since);
      return undefined;
    }
    // an owner whose account cannot look may still see it; the daily check pauses those
    if (subs.some(({ paused }, at) => !paused && seen[at] === undefined)) return inDoubt;
    log.warn({ repository: repo.fullName, id: repo.id }, 'a subscribed repository no longer exists');
    for (const sub of subs) await end(store, sub, repo);
    return undefined;
  };
}

/** Updates the list of polled sources to match the subscriptions and linked people; no turn looks at all people. */
export function createReconcile(deps: FeedDeps, repos: RepoFacts): () => Promise<void> {
  const { store, now, log } = deps;
  const missing = createMissing(deps);
  const listed = createOwnerLists(deps);
  const asks = createAsks(deps);
  const dropIdle = createDropIdle(deps);
  const inboxes = createInboxRound(deps, dropIdle);

  return async () => {
    await inboxes();
    const known = readKnown(await store.sources.listFollowed());
    const { wanted, whole } = await wantedNow(known);
    await keep(wanted, known);
    const idle = [...known.states.keys()].filter((source) => !wanted.has(source));
    if (!whole || idle.length === 0) return;
    await dropIdle(idle, async () => {
      const again = await wantedNow(known);
      return (source) => !again.whole || again.wanted.has(source);
    });
  };

  /** `whole`: everything that is followed could be looked up. */
  async function wantedNow(known: Known): Promise<{ readonly wanted: WantedSources; readonly whole: boolean }> {
    const wanted: WantedSources = new Map();
    const round: Round = {
      known,
      wanted,
      hasRuns: await deps.has('runs.list'),
      hasTimeline: await deps.has('issues.timeline'),
    };
    let whole = true;
    await asks.refresh();
    for (const target of await store.subscriptions.listFollowed()) {
      await ifAnswered(want(target, round), (error) => {
        // the forge wants to be left alone: the others are not looked up either
        if (error.status === 429) throw error;
        // what cannot be looked up now is polled as before
        whole = false;
        log.warn({ target: target.name, reason: error.message }, 'a followed repository could not be looked up');
      });
    }
    pollTogether(wanted, known);
    return { wanted, whole };
  }

  /** One feed that shows which of many repositories had activity, with their own feeds as the slow safety net. */
  function pollTogether(wanted: WantedSources, known: Known): void {
    for (const [ownerId, owner] of manyOf(wanted)) {
      const key = sourceKey({ kind: 'owner', id: ownerId });
      wanted.set(key, { ...ownerAbout(ownerId, owner, known), together: true });
    }
    // an owner's feed that cannot be read shows nothing
    const tells = (id: number) => {
      const owner = sourceKey({ kind: 'owner', id });
      return wanted.get(owner)?.together && known.states.get(owner)?.error === undefined;
    };
    for (const [source, about] of wanted)
      if (readSource(source)?.kind === 'repo' && about.ownerId !== undefined && tells(about.ownerId))
        wanted.set(source, { ...about, together: true });
  }

  async function keep(wanted: WantedSources, known: Known): Promise<void> {
    for (const [source, about] of wanted) {
      const state = known.states.get(source);
      if (!state) await store.sources.ensure(source, plainJson(about));
      else if (differs(state.about, about)) await store.sources.note(source, { ...state, about: plainJson(about) });
    }
  }

  async function want(
    { kind, id, name }: { kind: 'repo' | 'owner' | 'user'; id: number; name: string },
    round: Round,
  ): Promise<void> {
    const { known, wanted } = round;
    if (kind === 'user') {
      wanted.set(sourceKey({ kind, id }), { owner: name });
      return;
    }
    if (kind === 'repo') {
      const ask = await asks.of(id);
      const about = ask && (await aboutRepo(id, name, known));
      if (ask && about) add(id, about, ask, round);
      return;
    }
    const subs = await store.subscriptions.of({ kind, id, pattern: '' });
    if (!subs.some(({ paused }) => !paused)) return;
    const about = ownerAbout(id, splitFullName(name).owner, known);
    wanted.set(sourceKey({ kind, id }), about);
    for (const [repo, found] of await listed(id, about.changedAt ?? 0)) {
      const ask = askOf(subs.filter((sub) => covers(sub, `${found.owner}/${found.name ?? ''}`)));
      if (ask) add(repo, withPast(found, known.abouts.get(sourceKey({ kind: 'repo', id: repo }))), ask, round);
      if (found.owner !== name) await store.subscriptions.rename({ kind, id, pattern: '' }, found.owner);
    }
  }

  function add(id: number, about: SourceAbout, ask: Ask, { wanted, hasRuns, hasTimeline }: Round): void {
    wanted.set(sourceKey({ kind: 'repo', id }), about);
    const runs = sourceKey({ kind: 'runs', id });
    const stuck = wanted.get(runs)?.stuck || ask.stuck;
    if (hasRuns && ask.runs) wanted.set(runs, stuck ? { ...about, stuck } : about);
    const requests = ask.requests && hasTimeline;
    if (about.ownerId === undefined || (ask.labels.length === 0 && !ask.drafts && !requests)) return;
    const key = sourceKey({ kind: 'items', id: about.ownerId });
    const before = wanted.get(key);
    wanted.set(key, {
      owner: about.owner,
      ownerId: about.ownerId,
      labels: [...new Set([...(before?.labels ?? []), ...ask.labels])].sort(),
      ...((before?.requests || requests) && { requests: true }),
    });
  }

  async function aboutRepo(id: number, name: string, known: Known): Promise<SourceAbout | undefined> {
    const before = known.abouts.get(sourceKey({ kind: 'repo', id }));
    const { missingSince, readAt = 0 } = before ?? {};
    const former = before?.name === undefined ? name : `${before.owner}/${before.name}`;
    if (missingSince === undefined && now() - readAt < rereadMs && former === name) return before;
    // a repository in doubt is read directly
    const doubted = missingSince !== undefined || readAt === 0;
    const found =
      (doubted ? undefined : await amongMany(id, before?.ownerId, known)) ??
      (await alone(id, name)) ??
      (former === name ? undefined : await alone(id, former));
    if (!found) return missing({ id, fullName: name }, await store.subscriptions.of({ kind: 'repo', id }), before);
    const fullName = `${found.owner}/${found.name}`;
    if (fullName !== name) await store.subscriptions.rename({ kind: 'repo', id }, fullName);
    return withPast(found, before);
  }

  async function alone(id: number, name: string): Promise<SourceAbout | undefined> {
    const repo = await repos.read(name);
    return repo?.id === id ? aboutOf(repo, now()) : undefined;
  }

  async function amongMany(id: number, owner: number | undefined, known: Known): Promise<SourceAbout | undefined> {
    if (owner === undefined || !known.many.has(owner)) return undefined;
    return (await listed(owner, 0)).get(id);
  }
}

/** A name that was once public is no longer a secret. */
const withPast = (about: SourceAbout, before: SourceAbout | undefined): SourceAbout => ({
  ...about,
  ...(before?.wasOpen && { wasOpen: true }),
});

const ownerAbout = (ownerId: number, owner: string, { abouts }: Known): SourceAbout => {
  const { changedAt } = abouts.get(sourceKey({ kind: 'owner', id: ownerId })) ?? {};
  return { owner, ownerId, ...(changedAt !== undefined && { changedAt }) };
};

/** A new read time alone is stored only now and then. */
function differs(before: unknown, about: SourceAbout): boolean {
  const old = SourceAbout.safeParse(before);
  if (!old.success) return true;
  const { readAt: was = 0, ...then } = old.data;
  const { readAt: is = 0, ...now } = SourceAbout.parse(about);
  return is - was > rereadMs / 2 || JSON.stringify(then) !== JSON.stringify(now);
}

const dayMs = 24 * 3_600_000;

/** Polling uses the bot's account, so each owner's own access to what they follow is checked once a day. */
export function createRights(deps: FeedDeps): () => Promise<void> {
  const { store, as, now, log } = deps;
  return async () => {
    for await (const { subscription, name } of store.subscriptions.each()) {
      if (subscription.paused || now() - lastSure(subscription) < dayMs) continue;
      await ifAnswered(look(subscription, name), ({ message }) =>
        log.warn({ repository: name, reason: message }, 'could not check whether a person can see a repository'),
      );
    }
  };

  async function look(sub: Subscription, name: string): Promise<void> {
    const api = await as({ team: sub.place.team, user: sub.owner });
    if (!api) {
      // checked daily while it worked, so after two days it has been missing for one
      if (now() - lastSure(sub) >= 2 * dayMs) await pause(deps, sub, 'unlinked', lastSure(sub));
      return;
    }
    const named = sub.target.kind === 'repo';
    const found = named ? await visible(name, api) : undefined;
    if (named && !found) return pause(deps, sub, 'unseen', lastSure(sub));
    const known = found?.id === sub.target.id ? { name: found.full_name } : {};
    await store.subscriptions.change(sub, { checkedAt: now(), ...known });
  }
}

/** When the owner was last known to have access. */
const lastSure = ({ checkedAt, createdAt }: Subscription): number => checkedAt ?? createdAt;
