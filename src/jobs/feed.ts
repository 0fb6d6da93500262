import { setTimeout as pause } from 'node:timers/promises';
import type { Job, Queue, Worker } from 'bullmq';
import { z } from 'zod';
import { reasonOf } from '../errors.js';
import { unitsOf } from '../feed/event.js';
import { realPlace } from '../feed/lanes.js';
import { readSource, SourceAbout } from '../feed/sources/source.js';
import type { Log } from '../log.js';
import { type Place, plainJson, redisTrouble, refusalOf, type Store } from '../store/index.js';
import { createAbsences } from './absences.js';
import { createChecksWatch } from './checks-watch.js';
import { createGuard } from './deliver/guard.js';
import { createDeliver } from './deliver.js';
import { createFanout, type Fanout, incompleteEvent, type Outgoing } from './fanout.js';
import { type FeedDeps, type FeedOptions, withDefaults } from './feed-deps.js';
import { createGate } from './gate.js';
import { createLostChannels } from './lost-channels.js';
import { createMissing } from './missing.js';
import { isForgePaused, pauseForge } from './paced.js';
import { createPoller } from './poll.js';
import { createQueue, createWorker, hintOptions } from './queues.js';
import { createRepoFacts } from './repo-facts.js';
import { createReconcile, createRights } from './schedule.js';
import { createSight } from './sight.js';
import { wakeRepository } from './wake.js';

interface Routine {
  readonly name: string;
  readonly everyMs: number;
  step(): Promise<void>;
}

/** Each worker has its own timer and one of them gets the turn: no wrong clock and no lost timer matters. */
function startRoutine(store: Store, log: Log, { name, everyMs, step }: Routine): NodeJS.Timeout {
  let busy = false;
  const once = async () => {
    if (busy || !(await store.intervals.take(name, everyMs))) return;
    busy = true;
    await step().finally(() => {
      busy = false;
    });
  };
  const failed = (error: unknown) =>
    error instanceof Error && refusalOf(error) !== undefined
      ? redisTrouble(log)(error)
      : log.warn({ step: name, reason: reasonOf(error) }, 'a step of the feed failed');
  return setInterval(() => void once().catch(failed), everyMs).unref();
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
      for (const { place, body } of state ? new Map(outgoing.map((each) => [each.place.channel, each])).values() : []) {
        const card = { id: `update:${item}:read:${ageMs}`, card: `update:${item}` };
        const update = { type: 'update', thread: item, item: state, ...audienceOf(body) };
        await store.outbox.append(realPlace(place), [{ ...card, body: plainJson(update) }]);
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

const PollJob = z.object({ source: z.string(), hold: z.number() });
const DeliverJob = z.object({ team: z.string(), channel: z.string() });

interface SweepQueues {
  readonly poll: Queue;
  readonly deliver: Queue;
}

const claimAtOnce = 100;
/** Polls that wait for a worker: what is woken comes after them. */
const waitingSeconds = 2;
/** A claim of fewer could not give each kind of source its share. */
const fewest = 12;
const longQueue = 100;
/** One sweep in so many, then. */
const seldom = 6;

/** Jobs are only hints: these two read the records themselves, so that a lost job loses nothing. */
function createSweep(deps: FeedDeps, queues: SweepQueues) {
  const { store, tempo, policy } = deps;
  const mostWaiting = Math.max(fewest, waitingSeconds * policy.feed.requestsPerSecond);
  let sweeps = 0;
  return {
    /** Every due source goes to one worker. */
    async tick(): Promise<void> {
      // what is not claimed stays due, in order; a claim that waits in a long queue would be made again
      let room = mostWaiting - (await queues.poll.getWaitingCount());
      if (await isForgePaused(deps)) return;
      while (room >= fewest) {
        const due = await store.sources.claimDue(Math.min(claimAtOnce, room), tempo.holdMs);
        if (due.length === 0) return;
        await queues.poll.addBulk(due.map((data) => ({ name: 'poll', data, opts: { ...hintOptions, attempts: 1 } })));
        room -= due.length;
      }
    },

    /** Every outbox that has entries and may be drained now. */
    async sweep(): Promise<void> {
      // behind a long queue most outboxes have their job already: looking for lost ones would only add to it
      const backlogged = (await queues.deliver.getWaitingCount()) > longQueue;
      sweeps += 1;
      if (backlogged && sweeps % seldom !== 0) return;
      for (const place of await store.outbox.pending()) {
        const { size, pause, notBefore } = await store.outbox.view(place);
        if (pause || notBefore !== undefined) continue;
        if (size === 0) await store.outbox.rest(place);
        // separate from `wake`: the job that should exist may have died with its worker
        else
          await queues.deliver.add('deliver', place, {
            ...hintOptions,
            deduplication: { id: `sweep-${place.team}-${place.channel}`, ttl: tempo.sweepMs },
          });
      }
      for (const place of await store.outbox.withAside())
        if (await store.outbox.isRetryDue(place)) await this.wake(place);
    },

    /** Something was added to this outbox. */
    async wake(place: Place): Promise<void> {
      const id = `${place.team}-${place.channel}`;
      await queues.deliver.add('deliver', place, { ...hintOptions, deduplication: { id, keepLastIfActive: true } });
    },
  };
}

export type FeedJobs = ReturnType<typeof createFeedJobs>;

/** Shorter waits are slept through; longer ones free the slot for others. */
const shortMs = 1_500;
const longestMs = 600_000;
const rightsEveryMs = 3_600_000;

const steps = ['tick', 'sweep', 'reconcile', 'rights'] as const;
type Step = (typeof steps)[number];

/** The feed: poll, fan out, deliver, and a sweep that misses nothing. */
export function createFeedJobs(options: FeedOptions) {
  const deps = withDefaults(options);
  const { store, log, tempo } = deps;
  const place = { connection: options.connection, forgeId: store.forgeId };
  const queues = {
    poll: createQueue('poll', place),
    deliver: createQueue('deliver', place),
    sweep: createQueue('sweep', place),
  };
  for (const queue of Object.values(queues)) queue.on('error', redisTrouble(log));
  const repos = createRepoFacts(deps);
  const sweep = createSweep(deps, queues);
  const tick = onceMore(() => sweep.tick());
  /** If this fails, the next turn takes them up. */
  const takeUp = () => void tick().catch(() => {});
  /** If this fails, the sweep finds the queued entries. */
  const wake = (to: Place) => void sweep.wake(to).catch(() => {});
  const unwatch = store.outbox.watch(wake);
  const hurry = (name: Step) => queues.sweep.add(name, {}, hintOptions);
  const reconcile = async () => void (await hurry('reconcile'));
  const sight = createSight(deps);
  const gate = createGate(deps, repos, sight);
  const absences = createAbsences(deps, gate);
  const lost = createLostChannels(deps);
  const guard = createGuard(deps, { gate, absences, lost, repos });
  const checks = createChecksWatch(deps, repos);
  const fanout = createFanout(deps, { repos, gate, checks });
  const complete = createComplete(deps, { fanout });
  const poller = createPoller(deps, { fanout, repos, reconcile });
  const deliver = createDeliver(deps, guard);
  const rights = createRights(deps, guard);
  const sources = createReconcile(deps, { repos, missing: createMissing(deps, { sight, guard }) });
  /** First resumes what may be shown or delivered again, then updates the sources. */
  const reconcileNow = async () => {
    await absences.look();
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

  const pollJob = async (job: Job): Promise<void> => {
    const due = PollJob.parse(job.data);
    // it waited so long that the source has been claimed again
    const wait = due.hold > deps.now() ? await poller.poll(due) : undefined;
    // the next turn may be a while away
    if (wait !== undefined && wait <= tempo.soonMs) setTimeout(takeUp, wait).unref();
  };

  const deliverJob = async (job: Job): Promise<void> => {
    const to = DeliverJob.parse(job.data);
    for (;;) {
      const wait = await deliver(to);
      if (wait === undefined) return;
      if (wait > shortMs) return later(to, wait);
      await pause(wait);
    }
  };

  /** If this worker dies first, the sweep finds the queued entries. */
  function later(to: Place, wait: number): void {
    setTimeout(() => wake(to), Math.min(wait, longestMs)).unref();
  }

  async function take(step: Step): Promise<void> {
    if (step === 'tick') await tick();
    else if (step === 'sweep') await Promise.all([sweep.sweep(), complete(), checks.look()]);
    else if (step === 'rights') await rights();
    else {
      await reconcileNow();
      await tick();
    }
  }
  const sweepJob = async ({ name }: Job): Promise<void> => {
    const step = steps.find((each) => each === name);
    if (step) await take(step);
  };

  function work(name: 'poll' | 'deliver' | 'sweep', process: (job: Job) => Promise<void>, concurrency: number): Worker {
    // an interrupted job is no loss: the sweep reads the records
    const worker = createWorker(name, place, process, {
      concurrency,
      lockDuration: tempo.leaseMs,
      stalledInterval: Math.max(1_000, tempo.leaseMs / 2),
      maxStalledCount: 1_000,
    });
    worker.on('error', redisTrouble(log));
    worker.on('failed', (job, error) => {
      if (refusalOf(error) !== undefined) return redisTrouble(log)(error);
      log.error({ job: job?.id, reason: error.message }, `a ${name} job failed`);
    });
    return worker;
  }

  return {
    queues,

    async start(): Promise<void> {
      workers.push(
        work('poll', pollJob, options.concurrency?.polls ?? 8),
        work('deliver', deliverJob, options.concurrency?.deliveries ?? 20),
        work('sweep', sweepJob, 2),
      );
      for (const name of steps)
        timers.push(startRoutine(store, log, { name, everyMs: rhythm[name], step: () => take(name) }));
      await hurry('reconcile');
    },

    async stop(): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      unwatch();
      await Promise.all(workers.map((worker) => worker.close()));
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
    },

    /** A signed webhook reported activity; polling decides what happened. */
    async wakeRepository(
      id: number,
      ownerId?: number,
      people: readonly string[] = [],
      checked?: string,
    ): Promise<void> {
      repos.forget(id);
      await wakeRepository(store, id, ownerId, people, checked);
      takeUp();
    },
    /** The single steps, for tests, benchmarks and previews. */
    steps: {
      reconcile: reconcileNow,
      poll: poller.poll,
      fanout: fanout.run,
      complete,
      checks: checks.look,
      deliver,
      sweep,
      rights,
    },
  };
}
