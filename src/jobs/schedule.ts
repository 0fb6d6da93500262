import { aboutOf } from '../commands/subscribe/watch.js';
import { Filter, needs } from '../feed/filter.js';
import { matches } from '../feed/glob.js';
import { SourceAbout } from '../feed/sources/about.js';
import { sourceKey } from '../feed/sources/source.js';
import { ApiError } from '../forge/index.js';
import type { Repository } from '../forge/schemas/repository.js';
import type { SourceState, Subscription } from '../store/index.js';
import { plain } from './fanout-parcels.js';
import type { FeedDeps } from './feed-deps.js';
import type { Missing } from './missing.js';
import type { RepoFacts } from './repo-facts.js';
import { createStrange } from './strange.js';

/** Repositories change their names and owners seldom. */
const rereadMs = 10 * 60_000;
const mostRepositories = 5_000;

type Wanted = Map<string, SourceAbout>;
type Known = ReadonlyMap<string, SourceState>;

interface ReconcilePorts {
  readonly repos: RepoFacts;
  readonly missing: Missing;
}

/** Makes the list of polled sources what the subscriptions and linked people ask for. */
export function createReconcile(deps: FeedDeps, { repos, missing }: ReconcilePorts): () => Promise<void> {
  const { store, service, now, log } = deps;
  const lists = { runs: true };
  const strange = createStrange(log);

  return async () => {
    const known: Known = new Map((await store.sources.list()).map(({ source, state }) => [source, state]));
    const wanted: Wanted = new Map();
    // what a server does not list is never asked for
    lists.runs = await deps.has('runs.list');
    let whole = true;
    for (const target of await store.subscriptions.followed()) {
      try {
        await want(target, wanted, known);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        // what cannot be looked up now is polled on as before
        whole = false;
        log.warn({ target: target.name, reason: error.message }, 'a followed repository could not be looked up');
      }
    }
    for (const { person, state } of await store.accounts.list(deps.team)) {
      if (state === 'active') wanted.set(sourceKey({ kind: 'inbox', ...person }), { owner: '-' });
    }
    await apply(wanted, known, whole);
  };

  async function apply(wanted: Wanted, known: Known, whole: boolean): Promise<void> {
    for (const [source, about] of wanted) {
      const state = known.get(source);
      if (!state) await store.sources.ensure(source, plain(about));
      else if (differs(state.about, about)) await store.sources.note(source, { ...state, about: plain(about) });
    }
    if (!whole) return;
    for (const source of known.keys()) {
      if (wanted.has(source)) continue;
      await store.sources.drop(source);
      await store.marks.drop(source);
    }
  }

  async function want(
    { kind, id, name }: { kind: 'repo' | 'owner' | 'user'; id: number; name: string },
    wanted: Wanted,
    known: Known,
  ): Promise<void> {
    if (kind === 'user') {
      wanted.set(sourceKey({ kind, id }), { owner: name });
      return;
    }
    if (kind === 'repo') {
      const subs = await store.subscriptions.of({ kind, id });
      if (!subs.some(({ paused }) => !paused)) return;
      const about = await aboutRepo(id, name, subs, known);
      if (about) add(id, about, subs, wanted);
      return;
    }
    const subs = await store.subscriptions.of({ kind, id, pattern: '' });
    if (!subs.some(({ paused }) => !paused)) return;
    wanted.set(sourceKey({ kind, id }), { owner: name.split('/')[0] ?? name, ownerId: id });
    for (const repo of await repositoriesOf(id)) {
      const mine = subs.filter(({ target }) => target.kind === 'owner' && matches(target.pattern, repo.name));
      if (mine.length > 0) add(repo.id, withPast(repo, beforeOf(repo.id, known)), mine, wanted);
      if (repo.owner && repo.owner.login !== name)
        await store.subscriptions.rename({ kind, id, pattern: '' }, repo.owner.login);
    }
  }

  function add(id: number, about: SourceAbout, subs: readonly Subscription[], wanted: Wanted): void {
    const asks = subs.flatMap(({ filter, paused }) => {
      const read = paused ? undefined : Filter.safeParse(filter);
      return read?.success ? [needs(read.data)] : [];
    });
    wanted.set(sourceKey({ kind: 'repo', id }), about);
    const runs = sourceKey({ kind: 'runs', id });
    const stuck = wanted.get(runs)?.stuck || asks.some((ask) => ask.stuck);
    if (lists.runs && asks.some((ask) => ask.runs)) wanted.set(runs, stuck ? { ...about, stuck } : about);
    const labels = asks.flatMap((ask) => ask.labels);
    if (about.ownerId === undefined || (labels.length === 0 && !asks.some(({ drafts }) => drafts))) return;
    const key = sourceKey({ kind: 'items', id: about.ownerId });
    const before = wanted.get(key)?.labels ?? [];
    wanted.set(key, {
      owner: about.owner,
      ownerId: about.ownerId,
      labels: [...new Set([...before, ...labels])].sort(),
    });
  }

  async function aboutRepo(
    id: number,
    name: string,
    subs: readonly Subscription[],
    known: Known,
  ): Promise<SourceAbout | undefined> {
    const before = beforeOf(id, known);
    if (before?.missingSince === undefined && now() - (before?.readAt ?? 0) < rereadMs) return before;
    const repo = await repos.read(name);
    if (!repo || repo.id !== id) return missing({ id, fullName: name }, subs, before);
    if (repo.full_name !== name) await store.subscriptions.rename({ kind: 'repo', id }, repo.full_name);
    return withPast(repo, before);
  }

  function withPast(repo: Repository, before: SourceAbout | undefined): SourceAbout {
    return {
      ...aboutOf(repo, now()),
      ...(before?.wasOpen && { wasOpen: true }),
    };
  }

  async function repositoriesOf(owner: number): Promise<Repository[]> {
    const found: Repository[] = [];
    for await (const repo of service.repos.search.each(
      { query: { uid: owner, exclusive: true } },
      { max: mostRepositories, strange: strange(`owner-${owner}`) },
    ))
      found.push(repo);
    return found;
  }
}

const beforeOf = (id: number, known: Known): SourceAbout | undefined =>
  SourceAbout.safeParse(known.get(sourceKey({ kind: 'repo', id }))?.about).data;

/** A fresh look that found nothing else counts only now and then. */
function differs(before: unknown, about: SourceAbout): boolean {
  const old = SourceAbout.safeParse(before);
  if (!old.success) return true;
  const { readAt: was = 0, ...then } = old.data;
  const { readAt: is = 0, ...now } = SourceAbout.parse(about);
  return is - was > rereadMs / 2 || JSON.stringify(then) !== JSON.stringify(now);
}
