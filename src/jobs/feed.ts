import { DelayedError, type Job, type Worker } from 'bullmq';
import type { Place } from '../store/index.js';
import { createComplete } from './complete.js';
import { createDeliver } from './deliver.js';
import { createGuard } from './deliver-guard.js';
import { createFanout } from './fanout.js';
import { type FeedOptions, settle } from './feed-deps.js';
import { createGate } from './gate.js';
import { createPoller } from './poll.js';
import { createQueue, createWorker } from './queues.js';
import { createRepoFacts } from './repo-facts.js';
import { createReconcile } from './schedule.js';
import { createRights } from './schedule-rights.js';
import { createSight } from './sight.js';
import { createSweep, DeliverJob, PollJob } from './sweep.js';
import { wakeRepository } from './wake.js';

export type FeedJobs = ReturnType<typeof createFeedJobs>;

/** Waits shorter than this are slept through; longer ones go back to the queue. */
const shortMs = 1_500;
const rightsEveryMs = 3_600_000;

/** The event road: poll, fan out, deliver, and the sweep that forgets nothing. */
export function createFeedJobs(options: FeedOptions) {
  const deps = settle(options);
  const { store, log, tempo } = deps;
  const place = { connection: options.connection, forgeId: store.forgeId };
  const queues = {
    poll: createQueue('poll', place),
    deliver: createQueue('deliver', place),
    sweep: createQueue('sweep', place),
  };
  for (const queue of Object.values(queues)) {
    queue.on('error', (error) => log.warn({ reason: error.message }, `${queue.name} queue`));
  }
  const repos = createRepoFacts(deps);
  const sweep = createSweep(deps, queues);
  const reconcileNow = createReconcile(deps, repos);
  const hurry = (name: 'tick' | 'reconcile' | 'sweep') =>
    queues.sweep.add(name, {}, { removeOnComplete: true, removeOnFail: true });
  const reconcile = async () => void (await hurry('reconcile'));
  const gate = createGate(deps, repos, createSight(deps));
  const guard = createGuard(deps, gate, sweep.wake);
  const fanout = createFanout(deps, { repos, gate, wake: sweep.wake });
  const complete = createComplete(deps, { fanout, wake: sweep.wake });
  const poller = createPoller(deps, { fanout, repos, reconcile, wake: sweep.wake });
  const deliver = createDeliver(deps, guard);
  const rights = createRights(deps, guard);
  const workers: Worker[] = [];

  const pollJob = async (job: Job): Promise<void> => {
    const due = PollJob.parse(job.data);
    // waited so long that the source was claimed again meanwhile
    if (due.hold > deps.now()) await poller.poll(due);
  };

  const deliverJob = async (job: Job, token?: string): Promise<void> => {
    const to = DeliverJob.parse(job.data);
    for (;;) {
      const wait = await deliver(to);
      if (wait === undefined) return;
      if (wait > shortMs) {
        await job.moveToDelayed(Date.now() + wait, token);
        throw new DelayedError();
      }
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  };

  const sweepJob = async (job: Job): Promise<void> => {
    if (job.name === 'tick') await sweep.tick();
    else if (job.name === 'sweep') await Promise.all([sweep.sweep(), complete()]);
    else if (job.name === 'rights') await rights();
    else if (job.name === 'reconcile') {
      await reconcileNow();
      await sweep.tick();
    }
  };

  function work(
    name: 'poll' | 'deliver' | 'sweep',
    process: (job: Job, token?: string) => Promise<void>,
    concurrency: number,
  ): Worker {
    // a job cut off is no loss: the records are swept
    const worker = createWorker(name, place, process, {
      concurrency,
      lockDuration: tempo.leaseMs,
      stalledInterval: Math.max(1_000, tempo.leaseMs / 2),
      maxStalledCount: 1_000,
    });
    worker.on('error', (error) => log.warn({ reason: error.message }, `${name} queue`));
    worker.on('failed', (job, error) => log.error({ job: job?.id, reason: error.message }, `a ${name} job failed`));
    return worker;
  }

  return {
    queues,

    async start(): Promise<void> {
      const every = (name: 'tick' | 'sweep' | 'reconcile' | 'rights', ms: number) =>
        queues.sweep.upsertJobScheduler(
          name,
          { every: ms },
          { name, opts: { removeOnComplete: true, removeOnFail: true } },
        );
      await Promise.all([
        every('tick', tempo.tickMs),
        every('sweep', tempo.sweepMs),
        every('reconcile', tempo.reconcileMs),
        every('rights', rightsEveryMs),
      ]);
      workers.push(
        work('poll', pollJob, options.concurrency?.polls ?? 8),
        work('deliver', deliverJob, options.concurrency?.deliveries ?? 20),
        work('sweep', sweepJob, 2),
      );
      await hurry('reconcile');
    },

    async stop(): Promise<void> {
      await Promise.all(workers.map((worker) => worker.close()));
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
    },

    /** Subscriptions or linked people changed. */
    reconcile,
    /** Something was appended to this outbox. */
    wake: (to: Place) => sweep.wake(to),
    /** A signed hook said that a repository moved; polling stays the truth. */
    async wakeRepository(id: number, ownerId?: number): Promise<void> {
      repos.forget(id);
      await wakeRepository(store, id, ownerId);
      await hurry('tick');
    },
    async wakeInbox(team: string, user: string): Promise<void> {
      await store.sources.wake(`inbox-${team}-${user}`);
      await hurry('tick');
    },
    /** The steps themselves, for tests, benchmarks and rehearsals. */
    steps: { reconcile: reconcileNow, poll: poller.poll, fanout, complete, deliver, sweep, rights },
  };
}
