import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { reasonOf } from '../errors.js';
import { gatherer } from '../features/runs/evidence.js';
import { covers, followersOf } from '../feed/covers.js';
import type { Event } from '../feed/event.js';
import { Filter, needs } from '../feed/filter.js';
import { type FeedMark, floorOf, readMark, storedMark } from '../feed/mark.js';
import { type PageCheck, type Poll, pollSource } from '../feed/sources/poll.js';
import { runEvent } from '../feed/sources/runs.js';
import { type Polled, type ReadRow, readSource, type Source, SourceAbout, sourceKey } from '../feed/sources/source.js';
import { ApiError } from '../forge/index.js';
import type { WorkflowRun } from '../forge/schemas.js';
import { growTo } from '../memory.js';
import {
  type DueSource,
  type Lease,
  type LoggedEvent,
  type OpenedSource,
  plainJson,
  type SourceMark,
  type SourceState,
  type Store,
  type Subscription,
  subscriptionId,
} from '../store/index.js';
import { count } from '../view/look.js';
import { say } from '../view/message.js';
import { link, md } from '../view/text.js';
import { eventOf, type Fanout } from './fanout.js';
import { type FeedDeps, mostDeaths } from './feed-deps.js';
import { createPaced, ForgePaused, pauseForge, retryAfterOf } from './paced.js';
import type { RepoFacts } from './repo-facts.js';
import { createUnreadableLog } from './unreadable.js';

/** @internal There was more than one poll reads: tells subscribers how much is not shown. */
export async function tellLeftOut(
  { store }: Pick<FeedDeps, 'store'>,
  source: Source,
  about: SourceAbout,
  { leftOut, mark }: Polled,
): Promise<void> {
  if (source.kind !== 'repo' && source.kind !== 'user') return;
  const name = about.name === undefined ? about.owner : `${about.owner}/${about.name}`;
  const subs =
    source.kind === 'user'
      ? await store.subscriptions.of({ kind: 'user', id: source.id })
      : await store.subscriptions.candidates(source.id, about.ownerId ?? 0);
  const what = leftOut ? count(leftOut, 'older update') : 'Some older updates';
  const message = say(
    md`${what} in ${link(about.url, name)} ${leftOut === 1 ? 'is' : 'are'} not shown: too much happened at once.`,
  );
  const repo = { id: source.id, fullName: name, hidden: about.hidden ?? true };
  const id = `left:${sourceKey(source)}:${mark.total ?? mark.time}`;
  const each = new Map(subs.filter((sub) => fits(sub, about)).map((sub) => [sub.place.channel, sub]));
  for (const sub of each.values()) {
    const of = { repo, subscription: subscriptionId(sub), units: [] };
    const body = { type: 'message', message, ...(source.kind === 'repo' && { of }) };
    await store.outbox.append(sub.place, [{ id, body: plainJson(body) }]);
  }
}

const fits = (sub: Subscription, { owner, name = '' }: SourceAbout): boolean =>
  !sub.paused && covers(sub, `${owner}/${name}`);

const everyMs = 2 * 60_000;
/** Nothing counts as stuck before this. */
const youngMs = 2 * 60_000;
const mostRuns = 10;

const ageOf = ({ started_at, created_at }: WorkflowRun, now: number): number =>
  now - ((started_at ?? created_at)?.getTime() ?? now);

/** Examines unfinished runs now and then, and reports each stuck one once. */
async function withStuck(
  deps: FeedDeps,
  { source, about, mark: known, before }: Pick<Poll, 'source' | 'about' | 'mark' | 'before'>,
  polled: Polled,
): Promise<Polled> {
  if (source.kind !== 'runs' || !about.stuck || !known) return polled;
  const { service, has } = deps;
  const now = deps.forgeNow() ?? deps.now();
  const { memory = {} } = polled.mark;
  const reported: Record<string, number> = { ...memory.stuck };
  const suspects = (polled.open ?? [])
    .filter((run) => reported[run.id] !== run.run_attempt && ageOf(run, now) >= youngMs)
    .sort((a, b) => a.id - b.id)
    .slice(0, mostRuns);
  if (suspects.length === 0 || now - (memory.lookedAt ?? 0) < everyMs) return polled;
  const at = { owner: about.owner, repo: about.name ?? '' };
  const fullName = `${at.owner}/${at.repo}`;
  const repo = { id: source.id, fullName, url: about.url ?? '', hidden: about.hidden ?? true };
  const offers = {
    ...((await has('runs.cancel')) && { cancel: true as const }),
    ...((await has('runs.forceCancel')) && { force: true as const }),
  };
  const { symptoms: symptomsOf } = await gatherer({ api: service, now: new Date(now) });
  const events: Event[] = [];
  for (const run of suspects) {
    await before?.();
    const symptoms = await symptomsOf(at, run);
    if (symptoms.length === 0) continue;
    reported[run.id] = run.run_attempt;
    const what = { id: `${run.id}.${run.run_attempt}.stuck`, at: new Date(now).toISOString() };
    events.push(runEvent(sourceKey(source), repo, 'runs:stuck', run, { ...what, facts: { symptoms, offers } }));
  }
  const mark = { ...polled.mark, memory: { ...memory, stuck: reported, lookedAt: now } };
  return { ...polled, mark, events: [...polled.events, ...events] };
}

/** Whether an unpaused subscription that covers it asks for review requests. */
const createWantsRequests =
  ({ store }: FeedDeps, { ownerId = 0 }: SourceAbout): NonNullable<Poll['wantsRequests']> =>
  async ({ id, full_name: name }) => {
    const isAsking = ({ filter }: Subscription) => {
      const read = Filter.safeParse(filter);
      return read.success && needs(read.data).requests;
    };
    return (await followersOf(store, { id, ownerId, fullName: name })).some(isAsking);
  };

/** Polls as the bot, or an inbox as its owner; undefined if that person is no longer linked. */
async function pollAs(deps: FeedDeps, poll: Omit<Poll, 'now' | 'forgeNow' | 'listed'>): Promise<Polled | undefined> {
  const { as, has, service, now, forgeNow } = deps;
  const { source } = poll;
  const api = source.kind === 'inbox' ? await as(source) : service;
  if (!api) return undefined;
  const listed = source.kind !== 'inbox' || (await has('notifications.list'));
  const wantsRequests = createWantsRequests(deps, poll.about);
  const polled = await pollSource(api, { ...poll, wantsRequests, listed, now: now(), forgeNow: forgeNow() });
  return withStuck(deps, poll, polled);
}

const mostReads = 3;
const mostWaits = 12;
const waitMs = 250;

/** Reads an opened source and fans it out; true while rows of it wait for their other half. */
type ReadNow = (source: Source, about: SourceAbout, opened: OpenedSource) => Promise<boolean>;

/** How soon after its opening a request came with it, as one of code owners does. */
const openedMs = 60_000;

const isOfNewPull = (event: Event): boolean =>
  event.kind === 'reviews:requested' &&
  event.item.openedAt !== undefined &&
  Date.parse(event.at) - Date.parse(event.item.openedAt) < openedMs;

/** What caused a run, and what opened a pull request for review, is posted before it: read first, within a bounded time. */
async function causesFirst(deps: FeedDeps, source: Source, events: readonly Event[], read: ReadNow): Promise<void> {
  if (source.kind === 'runs' && events.length > 0) await causeFirst(deps, source.id, read);
  const opened = source.kind === 'items' ? events.filter(isOfNewPull).map(({ repo }) => repo.id) : [];
  for (const id of new Set(opened)) await causeFirst(deps, id, read);
}

async function causeFirst({ store, tempo }: FeedDeps, id: number, read: ReadNow): Promise<void> {
  const repo = { kind: 'repo', id } as const;
  const key = sourceKey(repo);
  const about = SourceAbout.safeParse((await store.sources.get(key))?.about);
  if (!about.success) return;
  for (let reads = 0, waits = 0; reads < mostReads && waits < mostWaits; ) {
    const opened = await store.marks.open(key, tempo.leaseMs);
    if (!opened) {
      waits += 1;
      await pause(waitMs);
      continue;
    }
    reads += 1;
    if (!(await read(repo, about.data, opened))) return;
    await pause(tempo.soonMs);
  }
}

type Seen = { readonly error: unknown } | { readonly events: readonly Event[]; readonly changed: boolean };

/** A poll found nothing, rows under another name or other repositories: what must be read again at once. */
function inDoubt(source: Source, about: SourceAbout, seen: Seen, now: number): SourceAbout | undefined {
  if (source.kind === 'owner') return 'changed' in seen && seen.changed ? { ...about, changedAt: now } : undefined;
  if (source.kind !== 'repo') return undefined;
  const doubted =
    'error' in seen
      ? seen.error instanceof ApiError && seen.error.kind === 'notFound'
      : seen.events.some(({ repo }) => repo.id === source.id && repo.fullName !== `${about.owner}/${about.name}`);
  return doubted ? { ...about, readAt: 0 } : undefined;
}

/** A new repository has no history: its feed is posted from the first row instead of learned. */
async function beginBorn({ marks }: Store, events: readonly Event[]): Promise<void> {
  for (const { repo, at } of events.filter(({ kind }) => kind === 'repos:created'))
    await marks.begin(sourceKey({ kind: 'repo', id: repo.id }), storedMark({ v: 1, time: Date.parse(at), seen: {} }));
}

/** An owner's feed shows at once which repositories had activity; their own feeds are authoritative. */
async function wakeRepositories(store: Store, events: readonly Event[], rows: readonly ReadRow[] = []): Promise<void> {
  await beginBorn(store, events);
  const active = [...new Set(events.map(({ repo }) => repo.id))];
  const keyOf = (id: number) => sourceKey({ kind: 'repo', id });
  const unread = await Promise.all(
    active.map(async (id) => {
      const mark = readMark(await store.marks.get(keyOf(id)));
      const times = rows.filter(({ repo }) => repo === id).map(({ at }) => at);
      return hasRead(mark, times) ? [] : [keyOf(id)];
    }),
  );
  await store.sources.wake(...unread.flat());
  for (const [key, state] of await store.sources.states(active.map(keyOf)))
    if (!state.told) await store.sources.note(key, { ...state, told: true });
}

/** A webhook was faster: the repository's own feed showed as many rows in each second. Ids differ between feeds. */
function hasRead(mark: FeedMark | undefined, times: readonly number[]): boolean {
  if (!mark) return false;
  const count = (all: readonly number[], time: number) => all.filter((each) => each === time).length;
  const seen = Object.values(mark.seen);
  const recent = times.filter((time) => time >= floorOf(mark));
  return recent.length > 0 && recent.every((time) => count(seen, time) >= count(recent, time));
}

const sourcesRemembered = 20_000;

/** @internal Most polls see what the last one saw: the same bytes with the same mark are no news and need no parsing. */
export function createPageMemory() {
  const idle = new LRUCache<string, { readonly print: string; readonly mark: FeedMark }>(growTo(sourcesRemembered));
  return (source: string, mark: FeedMark | undefined): PageCheck => {
    let seen = '';
    let same = false;
    return {
      known(print) {
        const before = idle.get(source);
        same = before !== undefined && before.mark === mark && before.print === print;
        seen = print;
        return same;
      },
      get idle() {
        return same && mark ? { events: [], mark, soon: false, capped: false } : undefined;
      },
      remember(after) {
        if (mark && after === mark && seen !== '') idle.set(source, { print: seen, mark });
        else idle.delete(source);
      },
    };
  };
}

type PollOutcome = { readonly news: number; readonly events: readonly Event[] } | { readonly error: unknown };

/** If an owner's feed shows activity in many repositories, it is polled more often and they less. */
const oftener = 4;
const seldomer = 8;

/** An inbox that webhooks wake is only read to be sure: half-hourly after a day without news, six-hourly after twelve. */
const shareOfIdleTime = 48;
const seldomestMs = 6 * 3_600_000;
/** Until a webhook has announced something to this person: the operator's may cover other repositories only. */
const unprovenMs = 30 * 60_000;

/** In how many milliseconds a source is due again: busy ones often, idle and failing ones less and less. */
function createTempo({ policy, tempo, now, forgeNow, hooked }: FeedDeps) {
  const busy = policy.feed.busySeconds * 1_000;
  const idle = Math.max(busy, policy.feed.idleSeconds * 1_000);
  const ownerIdle = Math.max(busy, idle / oftener);

  const slowestInbox = ({ told, newAt = 0 }: SourceState): number => {
    if (!(told ?? hooked)) return idle;
    const limit = told ? seldomestMs : unprovenMs;
    return Math.max(idle, Math.min(limit, Math.round((now() - newAt) / shareOfIdleTime)));
  };

  /** Rows of a hidden repository may be missing in its owner's feed, which is trusted only once it has shown one. */
  const slowest = (source: Source, { together, hidden }: SourceAbout, state: SourceState): number => {
    const { told: ownerFeedCovers = hidden === false } = state;
    if (source.kind === 'inbox') return slowestInbox(state);
    if (!together) return idle;
    if (source.kind === 'owner') return ownerIdle;
    return source.kind === 'repo' && ownerFeedCovers ? idle * seldomer : idle;
  };

  const isEarly = ({ askedAt = Number.NEGATIVE_INFINITY, tempoMs = 0 }: SourceState): boolean =>
    now() < askedAt + tempoMs * 0.9;

  return {
    next(source: Source, about: SourceAbout, before: SourceState, outcome: PollOutcome): number {
      const last = before.tempoMs ?? busy;
      if ('error' in outcome) return Math.min(idle, Math.max(busy, last * 2));
      if (outcome.news > 0) return busy;
      // a forge writes notifications only after sending the webhook, so an empty result is retried
      if (source.kind === 'inbox' && isEarly(before)) return tempo.soonMs;
      if (source.kind === 'inbox' && before.told) return slowestInbox(before);
      return Math.min(slowest(source, about, before), Math.max(busy, Math.round(last * 1.5)));
    },

    /** Whether a webhook told of an inbox's news; false for a repository whose news its owner's feed should have shown by now. */
    told(source: Source, { together }: SourceAbout, before: SourceState, outcome: PollOutcome, woken: boolean) {
      if ('error' in outcome || outcome.news === 0) return before.told;
      if (source.kind === 'inbox') return woken;
      if (source.kind !== 'repo' || !together || isEarly(before)) return before.told;
      const present = forgeNow() ?? now();
      return outcome.events.some(({ at }) => Date.parse(at) < present - 2 * ownerIdle) ? false : before.told;
    },
  };
}

interface PollPorts {
  readonly fanout: Fanout;
  readonly repos: RepoFacts;
  /** A repository was added, removed or renamed: reconcile the subscriptions. */
  reconcile(): Promise<void>;
}

const aloneMs = 30 * 60_000;

/** The result of a poll, which determines the next one. */
type Outcome =
  | {
      readonly news: number;
      readonly soon: boolean;
      readonly held?: boolean;
      /** For an owner's feed: a repository was added, removed or renamed. */
      readonly changed?: boolean;
      readonly written?: readonly LoggedEvent[];
    }
  | { readonly error: unknown };

interface Begun {
  readonly opened: OpenedSource;
  /** Its first request's turn. */
  readonly turn: Promise<unknown>;
  readonly woken: boolean;
}

/** Mark and events are written together, and only by the holder of the source's lease. */
export function createPoller(deps: FeedDeps, { fanout, repos, reconcile }: PollPorts) {
  const { store, log, now, tempo } = deps;
  const paced = createPaced(deps);
  const pollTempo = createTempo(deps);
  const pageChecks = createPageMemory();
  const logUnreadable = createUnreadableLog(log);

  async function read(source: Source, about: SourceAbout, { opened, turn, woken }: Begun): Promise<Outcome> {
    const key = sourceKey(source);
    const { token } = opened;
    const lease = store.marks.lease(key);
    let renewedAt = now();
    let outcome: Outcome | undefined;
    try {
      await turn;
      // what an earlier worker left in the log goes first, to keep the order
      if (opened.unread > 0) await fanout.run(source, about);
      let first = true;
      const mark = readMark(opened.mark);
      const before = async () => {
        const isOld = now() - renewedAt > tempo.leaseMs / 4;
        if (isOld) renewedAt = now();
        await Promise.all([isOld ? lease.renew(token, tempo.leaseMs) : undefined, first ? undefined : paced()]);
        first = false;
      };
      const ports = { before, onUnreadable: logUnreadable(key), pageCheck: pageChecks(key, mark) };
      const polled = await pollAs(deps, { source, about, mark, woken, ...ports });
      if (polled?.capped) await tellLeftOut(deps, source, about, polled);
      if (!polled) return await drop(key);
      outcome = await keep(source, token, opened.mark, polled);
      return outcome;
    } finally {
      // what was written ended the lease
      if (!outcome || !('written' in outcome)) void lease.release(token).catch(() => {});
    }
  }

  /** Its person is no longer linked; under the lease, so that linking again begins anew. */
  async function drop(key: string): Promise<Outcome> {
    await store.marks.clear(key);
    await store.sources.drop(key);
    return { news: 0, soon: false };
  }

  /** Mark and events together, or nothing at all. */
  async function keep(source: Source, token: Lease, before: SourceMark | undefined, polled: Polled): Promise<Outcome> {
    const key = sourceKey(source);
    if (polled.capped) {
      deps.count('capped');
      log.warn(
        { source: key, left: polled.leftOut },
        'more was waiting than one poll reads; the oldest part was left out',
      );
    }
    if (polled.mark === readMark(before)) return { news: 0, soon: polled.soon };
    const events = source.kind === 'inbox' ? await byOthers(key, polled.events) : polled.events;
    repos.learn(source, events);
    // from an owner's feed, only what its repositories' own feeds lack
    const relevant = source.kind === 'owner' ? events.filter(({ kind }) => kind === 'repos:created') : events;
    const logged = relevant.map((event) => ({ id: event.id, body: event }));
    // before the mark: after it, nobody would find out what else to read if this process died
    if (source.kind === 'owner') await wakeRepositories(store, events, polled.rows);
    const written = await store.marks.commit(key, token, storedMark(polled.mark), logged);
    if (!written) return { news: 0, soon: true };
    deps.count('events', logged.length);
    const changed = source.kind === 'owner' && events.some(({ kind }) => kind.startsWith('repos:'));
    return { news: events.length, soon: polled.soon, held: polled.mark.held !== undefined, changed, written };
  }

  /** What its person marked in Slack is no news to them. */
  async function byOthers(key: string, events: readonly Event[]): Promise<readonly Event[]> {
    const own = events.length > 0 ? await store.marks.own(key) : new Set();
    return events.filter(({ id }) => !own.has(id.slice(key.length + 1)));
  }

  return {
    /** Polls a claimed source; returns in how many milliseconds it is due again. */
    async poll(due: DueSource): Promise<number | undefined> {
      const source = readSource(due.source);
      // most polls read one page: its turn is taken while the source is opened
      const turn = paced();
      const [opened] = await Promise.all([store.marks.open(due.source, tempo.leaseMs), turn.catch(() => {})]);
      const { state, woken } = due;
      const about = SourceAbout.safeParse(state?.about ?? { owner: '-' });
      if (!source || !state || !about.success) {
        if (opened) await store.marks.lease(due.source).release(opened.token);
        await store.sources.drop(due.source);
        return undefined;
      }
      // a worker that ended or a poll of its runs still holds it
      if (!opened) return putBack(due, tempo.soonMs);
      deps.count('polls');
      const isAside = opened.deaths >= mostDeaths;
      const outcome = isAside
        ? await leaveAlone(due.source, opened)
        : await attempt(source, about.data, { opened, turn, woken });
      const failed = 'error' in outcome;
      if (failed && outcome.error instanceof ForgePaused) return putBack(due, outcome.error.forMs);
      const seen = failed
        ? outcome
        : {
            news: outcome.news,
            events: (outcome.written ?? []).map(eventOf),
            changed: outcome.changed ?? false,
          };
      const tempoMs = isAside ? aloneMs : pollTempo.next(source, about.data, state, seen);
      const told = pollTempo.told(source, about.data, state, seen, woken);
      const at = now();
      const askedMs = isAside ? aloneMs : failed ? retryAfterOf(outcome.error) : 0;
      const doubt = inDoubt(source, about.data, seen, at);
      const soon = !failed && outcome.soon;
      const wait = soon ? tempo.soonMs : tempoMs * (0.9 + deps.random() * 0.2);
      const alone = await store.sources.schedule(due, {
        at: Math.round(at + Math.max(wait, askedMs)),
        ...(askedMs > 0 && { heldUntil: at + askedMs }),
        again: failed || soon || tempoMs === tempo.soonMs,
        state: {
          ...(state.about !== undefined && { about: doubt ? plainJson(doubt) : state.about }),
          ...(told !== undefined && { told }),
          askedAt: at,
          tempoMs,
          ...(failed ? { error: shortReason(outcome.error) } : {}),
          ...(failed ? state.answeredAt !== undefined && { answeredAt: state.answeredAt } : { answeredAt: at }),
          ...(!failed && outcome.news > 0 ? { newAt: at } : state.newAt !== undefined && { newAt: state.newAt }),
        },
      });
      if (doubt) await reconcile();
      // woken while it was read: again at once
      return alone ? wait : 0;
    },
  };

  /** Not read now: what woke it is still waiting. */
  async function putBack(due: DueSource, forMs: number): Promise<number> {
    return (await store.sources.schedule(due, { at: now() + forMs, again: true })) ? forMs : 0;
  }

  /** Several workers in a row died while they read it: it is not read now, and tried again later. */
  async function leaveAlone(key: string, { token, deaths }: OpenedSource): Promise<Outcome> {
    log.error(
      { source: key, deaths },
      'several workers stopped while they read this: it is left alone for half an hour',
    );
    await store.marks.lease(key).release(token);
    return { error: new Error('This stopped the worker several times.') };
  }

  async function readNow(source: Source, about: SourceAbout, opened: OpenedSource): Promise<boolean> {
    const outcome = await attempt(source, about, { opened, turn: paced(), woken: true });
    return 'held' in outcome && outcome.held === true;
  }

  async function attempt(source: Source, about: SourceAbout, begun: Begun): Promise<Outcome> {
    try {
      const outcome = await read(source, about, begun);
      if ('news' in outcome && outcome.written) {
        await causesFirst(deps, source, outcome.written.map(eventOf), readNow);
        await fanout.run(source, about, outcome.written);
      }
      return outcome;
    } catch (error) {
      if (error instanceof ForgePaused) return { error };
      log.warn({ source: sourceKey(source), reason: shortReason(error) }, 'a poll failed');
      // a person's own limit is no reason to stop everyone
      if (source.kind !== 'inbox') await pauseForge(deps, error);
      return { error };
    }
  }
}

const shortReason = (error: unknown): string => reasonOf(error).slice(0, 300);
