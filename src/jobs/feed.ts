import { setTimeout as pause } from 'node:timers/promises';
import type { Job, Worker } from 'bullmq';
import { reasonOf } from '../errors.js';
import { unitsOf } from '../feed/event.js';
import type { Announcement } from '../feed/ports.js';
import { readSource, SourceAbout } from '../feed/sources/source.js';
import type { Log } from '../log.js';
import {
  type DueSource,
  type OutboxPlace,
  outboxName,
  placeName,
  plainJson,
  redisTrouble,
  refusalOf,
  type Store,
} from '../store/index.js';
import { createChecksWatch } from './checks-watch.js';
import { createGuard } from './deliver/guard.js';
import { createDeliver, type Deliver } from './deliver.js';
import { createFanout, type Fanout, incompleteEvent, type Outgoing } from './fanout.js';
import { type FeedDeps, type FeedOptions, withDefaults } from './feed-deps.js';
import { createGate } from './gate.js';
import { createLostChannels } from './lost-channels.js';
import { isForgePaused, pauseForge } from './paced.js';
import { createPoller } from './poll.js';
import { createQueue, createWorker, hintOptions } from './queues.js';
import { createRepoFacts } from './repo-facts.js';
import { createReconcile, createRights } from './schedule.js';
import { createSight } from './sight.js';
import { createWithholding } from './subscription-state.js';
import { wakeRepository } from './wake.js';

interface Routine {
  readonly name: string;
  readonly everyMs: number;
  /** Every worker does it. */
  readonly each?: boolean;
  step(): Promise<void>;
}

/** Each worker has its own timer and one of them gets the turn: no wrong clock and no lost timer matters. */
function startRoutine(store: Store, log: Log, { name, everyMs, each = false, step }: Routine): NodeJS.Timeout {
  let busy = false;
  const once = async () => {
    if (busy || !(each || (await store.intervals.take(name, everyMs)))) return;
    busy = true;
    await step().finally(() => {
      busy = false;
    });
  };
  const logFailure = (error: unknown) =>
    error instanceof Error && refusalOf(error) !== undefined
      ? redisTrouble(log)(error)
      : log.warn({ step: name, reason: reasonOf(error) }, 'a step of the feed failed');
  return setInterval(() => void once().catch(logFailure), everyMs).unref();
}

/** Filters that need an item wait this long for it, then it is posted anyway. */
const waitMs = 60_000;
const giveUpMs = 24 * 3_600_000;
const atOnce = 20;

/** The card passes the same gate as the event: it may be hidden from the channel by now. */
const audienceOf = (body: Outgoing['body']) =>
  body.type === 'event' && body.subscription !== undefined
    ? { of: { repo: body.event.repo, subscription: body.subscription, units: unitsOf(body.event) } }
    : {};

/** Retries items that could not be read: posts the events that waited and completes existing cards. */
function createComplete({ store }: FeedDeps, { fanout }: { readonly fanout: Fanout }) {
  return async (): Promise<void> => {
    for (const { item, ageMs, rows } of await store.incomplete.due(atOnce)) {
      const [first] = rows;
      const source = first && readSource(first.source);
      const about = SourceAbout.safeParse(first?.about);
      const done = () =>
        store.incomplete.remove(
          item,
          rows.map(({ id }) => id),
        );
      if (!source || !about.success || ageMs > giveUpMs) {
        await done();
        continue;
      }
      const { states, unread, outgoing } = await fanout.again(
        source,
        about.data,
        rows.map(incompleteEvent),
        ageMs >= waitMs,
      );
      if (unread.has(item)) continue;
      const state = states.get(item);
      for (const { place, body } of state
        ? new Map(outgoing.map((each) => [placeName(each.place), each])).values()
        : []) {
        const card = { id: `update:${item}:read:${ageMs}`, card: `update:${item}` };
        const update = { type: 'update', thread: item, item: state, ...audienceOf(body) };
        await store.outbox.append({ team: place.team, channel: place.channel }, [{ ...card, body: plainJson(update) }]);
      }
      await done();
    }
  };
}

/** @internal Runs one at a time; everyone who asks during a run shares the next one. */
export function onceMore(run: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    next = undefined;
    const started = run();
    last = started.catch(() => {});
    return started;
  };
  return () => {
    next ??= last.then(start);
    return next;
  };
}

/** Runs up to `most` tasks at once in this process. */
function createSlots(most: number, log: Log, what: string) {
  const running = new Set<Promise<void>>();
  const logFailure = (error: unknown) => {
    if (error instanceof Error && refusalOf(error) !== undefined) redisTrouble(log)(error);
    else log.error({ reason: reasonOf(error) }, `a ${what} failed`);
  };
  return {
    get free(): number {
      return most - running.size;
    },
    run(task: () => Promise<void>, ended: () => void): void {
      const one = task()
        .catch(logFailure)
        .finally(() => {
          running.delete(one);
          ended();
        });
      running.add(one);
    },
    /** Those that run now. */
    ended: () => Promise.all(running),
  };
}

/** Each worker claims as many due sources as it can poll at once; what is not claimed stays due, in order. */
function createPolls(deps: FeedDeps, poll: (due: DueSource) => Promise<number | undefined>, most: number) {
  const { store, tempo, log } = deps;
  const slots = createSlots(most, log, 'poll');
  let isPaused = false;
  let isStarted = false;
  let isStopped = false;
  let isMoreDue = false;

  /** If this fails, the next turn takes them up. */
  const takeUp = () => void (isStarted && claim().catch(() => {}));
  const claim = onceMore(async () => {
    while (!isStopped && !isPaused) {
      const { free } = slots;
      isMoreDue = free === 0;
      if (free === 0) return;
      const due = await store.sources.claimDue(free, tempo.holdMs);
      for (const each of due)
        slots.run(
          () => pollOne(each),
          () => void (isMoreDue && takeUp()),
        );
      if (due.length < free) return;
    }
  });

  async function pollOne(due: DueSource): Promise<void> {
    const wait = await poll(due);
    // the next turn may be a while away
    if (wait !== undefined && wait <= tempo.soonMs) setTimeout(takeUp, wait).unref();
  }

  return {
    takeUp,
    start(): void {
      isStarted = true;
    },
    async tick(): Promise<void> {
      isPaused = await isForgePaused(deps);
      await claim();
    },
    async stop(): Promise<void> {
      isStopped = true;
      await slots.ended();
    },
  };
}

const longQueue = 100;
/** One sweep in so many, then. */
const seldom = 6;
/** Shorter waits are slept through; longer ones free the slot for others. */
const shortMs = 1_500;
const longestMs = 600_000;

/** What this process added to an outbox it delivers at once; the sweep finds what another one left behind. */
function createDeliveries({ store, log }: FeedDeps, deliver: Deliver, most: number) {
  const slots = createSlots(most, log, 'delivery');
  const waiting = new Map<string, readonly [place: OutboxPlace, touched: number | undefined]>();
  const running = new Set<string>();
  let isStarted = false;
  let sweeps = 0;

  function wake(place: OutboxPlace, touched?: number): void {
    if (!isStarted) return;
    waiting.set(outboxName(place), [place, touched]);
    start();
  }

  function start(): void {
    for (const [name, [place, touched]] of waiting) {
      if (slots.free === 0 || !isStarted) return;
      // added to while it runs: once more after that
      if (running.has(name)) continue;
      waiting.delete(name);
      running.add(name);
      slots.run(
        () => drain(place, touched),
        () => {
          running.delete(name);
          start();
        },
      );
    }
  }

  async function drain(place: OutboxPlace, touched?: number): Promise<void> {
    for (;;) {
      const wait = await deliver(place, touched);
      if (wait === undefined) return;
      if (wait > shortMs) return void setTimeout(() => wake(place), Math.min(wait, longestMs)).unref();
      await pause(wait);
    }
  }

  return {
    wake,
    start(): void {
      isStarted = true;
    },
    async stop(): Promise<void> {
      isStarted = false;
      await slots.ended();
    },

    /** Every outbox that has entries and may be drained now: nothing depends on who added them, or whether they still run. */
    async sweep(): Promise<void> {
      // behind a long queue, looking for more would only add to it
      sweeps += 1;
      if (waiting.size > longQueue && sweeps % seldom !== 0) return;
      for (const place of await store.outbox.pending()) {
        const { pause, notBefore } = await store.outbox.view(place);
        if (!pause && notBefore === undefined) wake(place);
      }
      for (const place of await store.outbox.withAside()) if (await store.outbox.isRetryDue(place)) wake(place);
    },
  };
}

export type FeedJobs = ReturnType<typeof createFeedJobs>;

const rightsEveryMs = 3_600_000;

const steps = ['tick', 'sweep', 'reconcile', 'rights'] as const;
type Step = (typeof steps)[number];

/** The feed: poll, fan out, deliver, and a sweep that misses nothing. */
export function createFeedJobs(options: FeedOptions) {
  const deps = withDefaults(options);
  const { store, log, tempo } = deps;
  const place = { connection: options.connection, forgeId: store.forgeId };
  const queue = createQueue('sweep', place);
  queue.on('error', redisTrouble(log));
  const repos = createRepoFacts(deps);
  const hurry = (name: Step) => queue.add(name, {}, hintOptions);
  const reconcile = async () => void (await hurry('reconcile'));
  const gate = createGate(deps, repos, createSight(deps));
  const withholding = createWithholding(deps, gate);
  const lost = createLostChannels(deps);
  const guard = createGuard(deps, { gate, withholding, lost, repos });
  const checks = createChecksWatch(deps, repos);
  const fanout = createFanout(deps, { repos, gate, checks });
  const complete = createComplete(deps, { fanout });
  const poller = createPoller(deps, { fanout, repos, reconcile });
  const polls = createPolls(deps, poller.poll, options.concurrency?.polls ?? 8);
  const deliver = createDeliver(deps, guard);
  const deliveries = createDeliveries(deps, deliver, options.concurrency?.deliveries ?? 20);
  const unwatch = store.outbox.watch(deliveries.wake);
  const rights = createRights(deps);
  const sources = createReconcile(deps, repos);
  /** First resumes what may be shown or delivered again, then updates the sources. */
  const reconcileNow = async () => {
    await withholding.look();
    await lost.look();
    if (await isForgePaused(deps)) return;
    await sources().catch(async (error: unknown) => {
      await pauseForge(deps, error);
      throw error;
    });
  };
  const workers: Worker[] = [];
  const timers: NodeJS.Timeout[] = [];
  const rhythm: Readonly<Record<Step, number>> = {
    tick: tempo.tickMs,
    sweep: tempo.sweepMs,
    reconcile: tempo.reconcileMs,
    rights: rightsEveryMs,
  };

  async function take(step: Step): Promise<void> {
    if (step === 'tick') await polls.tick();
    else if (step === 'sweep') await Promise.all([deliveries.sweep(), complete(), checks.look()]);
    else if (step === 'rights') await rights();
    else {
      await reconcileNow();
      await polls.tick();
    }
  }
  const sweepJob = async ({ name }: Job): Promise<void> => {
    const step = steps.find((each) => each === name);
    if (step) await take(step);
  };

  function workSweep(): Worker {
    // an interrupted job is no loss: the sweep reads the records
    const worker = createWorker('sweep', place, sweepJob, {
      concurrency: 2,
      lockDuration: tempo.leaseMs,
      stalledInterval: Math.max(1_000, tempo.leaseMs / 2),
      maxStalledCount: 1_000,
    });
    worker.on('error', redisTrouble(log));
    worker.on('failed', (job, error) => {
      if (refusalOf(error) !== undefined) return redisTrouble(log)(error);
      log.error({ job: job?.id, reason: error.message }, 'a sweep job failed');
    });
    return worker;
  }

  return {
    async start(): Promise<void> {
      polls.start();
      deliveries.start();
      workers.push(workSweep());
      for (const name of steps)
        timers.push(
          startRoutine(store, log, {
            name,
            everyMs: rhythm[name],
            each: name === 'tick',
            step: () => take(name),
          }),
        );
      await hurry('reconcile');
    },

    async stop(): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      unwatch();
      await Promise.all([...workers.map((worker) => worker.close()), polls.stop(), deliveries.stop()]);
      await queue.close();
    },

    /** A signed webhook reported activity; polling decides what happened. */
    async wakeRepository(id: number, announced: Announcement = {}): Promise<void> {
      repos.forget(id);
      await wakeRepository(store, id, announced);
      polls.takeUp();
    },
    /** The single steps, for tests, benchmarks and previews. */
    steps: {
      reconcile: reconcileNow,
      poll: poller.poll,
      fanout: fanout.run,
      complete,
      checks: checks.look,
      deliver,
      tick: polls.tick,
      sweep: deliveries.sweep,
      rights,
    },
  };
}
