import { reasonOf } from '../errors.js';
import type { Event } from '../feed/event.js';
import { readMark, storedMark } from '../feed/mark.js';
import { SourceAbout } from '../feed/sources/about.js';
import { type Polled, readSource, type Source, sourceKey } from '../feed/sources/source.js';
import {
  type DueSource,
  type Lease,
  type LoggedEvent,
  type OpenedSource,
  plainJson,
  type SourceMark,
} from '../store/index.js';
import { eventOf, type Fanout } from './fanout.js';
import { type FeedDeps, mostDeaths } from './feed-deps.js';
import { tellLeftOut } from './left-out.js';
import { createPaced, ForgePaused, pauseForge, retryAfterOf } from './paced.js';
import { pollAs } from './poll/as.js';
import { causeFirst } from './poll/cause.js';
import { inDoubt } from './poll/doubt.js';
import { wakeRepositories } from './poll/owner.js';
import { createPageMemory } from './poll/page-memory.js';
import { createTempo } from './poll/tempo.js';
import type { RepoFacts } from './repo-facts.js';
import { createStrange } from './strange.js';

export interface PollPorts {
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
  /** Its first request's turn: whether the forge's rate limit caused a wait. */
  readonly turn: Promise<boolean>;
}

/** Mark and events are written together, and only by the holder of the source's lease. */
export function createPoller(deps: FeedDeps, { fanout, repos, reconcile }: PollPorts) {
  const { store, log, now, tempo } = deps;
  const paced = createPaced(deps);
  const pollTempo = createTempo(deps);
  const pageChecks = createPageMemory();
  const strange = createStrange(log);

  async function read(source: Source, about: SourceAbout, { opened, turn }: Begun): Promise<Outcome> {
    const key = sourceKey(source);
    const { token } = opened;
    const lease = store.marks.lease(key);
    try {
      const waited = await turn;
      // what an earlier worker left in the log goes first, to keep the order
      if (opened.unread > 0) await fanout.run(source, about);
      const late = waited || opened.unread > 0;
      let first = true;
      const mark = readMark(opened.mark);
      const before = async () => {
        const renewed = first && !late ? undefined : lease.renew(token, tempo.leaseMs);
        await Promise.all([renewed, first ? undefined : paced()]);
        first = false;
      };
      const ports = { before, strange: strange(key), pageCheck: pageChecks(key, mark) };
      const polled = await pollAs(deps, { source, about, mark, ...ports });
      if (polled?.capped) await tellLeftOut(deps, source, about, polled);
      return polled ? await keep(source, token, opened.mark, polled) : { news: 0, soon: false };
    } finally {
      void lease.release(token).catch(() => {});
    }
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
    if (source.kind === 'owner') await wakeRepositories(store, events);
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
      const [state, opened] = await Promise.all([
        store.sources.get(due.source),
        store.marks.open(due.source, tempo.leaseMs),
        turn.catch(() => {}),
      ]);
      const about = SourceAbout.safeParse(state?.about ?? { owner: '-' });
      if (!source || !state || !about.success) {
        if (opened) await store.marks.lease(due.source).release(opened.token);
        await store.sources.drop(due.source);
        return undefined;
      }
      // another worker is reading it, perhaps from before the wake-up: once more when it is done
      if (!opened) return putBack(due, tempo.soonMs);
      deps.count('polls');
      const isAside = opened.deaths >= mostDeaths;
      const outcome = isAside
        ? await leaveAlone(due.source, opened)
        : await attempt(source, about.data, { opened, turn });
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
      const ownerFeedCovers = pollTempo.missed(source, about.data, state, seen) ? false : state.told;
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
          ...(ownerFeedCovers !== undefined && { told: ownerFeedCovers }),
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
    const outcome = await attempt(source, about, { opened, turn: paced() });
    return 'held' in outcome && outcome.held === true;
  }

  async function attempt(source: Source, about: SourceAbout, begun: Begun): Promise<Outcome> {
    try {
      const outcome = await read(source, about, begun);
      if ('news' in outcome && outcome.written) {
        if (outcome.written.length > 0) await causeFirst(deps, source, readNow);
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
