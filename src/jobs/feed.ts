import { setTimeout as pause } from 'node:timers/promises';
import type { Job, Worker } from 'bullmq';
import { type Place, redisTrouble, refusalOf } from '../store/index.js';
import { createAbsences } from './absences.js';
import { beat } from './beat.js';
import { createChecksWatch } from './checks-watch.js';
import { createComplete } from './complete.js';
import { createGuard } from './deliver/guard.js';
import { createDeliver } from './deliver.js';
import { createFanout } from './fanout.js';
import { type FeedOptions, withDefaults } from './feed-deps.js';
import { createGate } from './gate.js';
import { createLostChannels } from './lost-channels.js';
import { createMissing } from './missing.js';
import { onceMore } from './once-more.js';
import { isForgePaused, pauseForge } from './paced.js';
import { createPoller } from './poll.js';
import { createQueue, createWorker, hintOptions } from './queues.js';
import { createRepoFacts } from './repo-facts.js';
import { createRights } from './schedule/rights.js';
import { createReconcile } from './schedule.js';
import { createSight } from './sight.js';
import { createSweep, DeliverJob, PollJob } from './sweep.js';
import { wakeRepository } from './wake.js';

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
  /** If this fails, the next beat takes them up. */
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
    // the next beat may be a while away
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
      for (const name of steps) timers.push(beat(store, log, { name, everyMs: rhythm[name], step: () => take(name) }));
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
