import { DelayedError, type Job, type Queue, type Worker } from 'bullmq';
import { ActJob } from '../chat/act-job.js';
import { withoutSecrets } from '../chat/arguments.js';
import { type Held, Overtaken } from '../chat/hold.js';
import type { Log } from '../log.js';
import { redisTrouble, type Store } from '../store/index.js';
import { createWorker, type QueuePlace } from './queues.js';
import { createSuspects } from './suspects.js';

export interface ActOptions extends QueuePlace {
  readonly concurrency?: number;
  readonly log: Log;
  /** The queue itself, to fetch whoever is next. */
  readonly queue: Queue;
  readonly turns: Store['turns'];
  perform(job: ActJob, id: string, held: Held): Promise<void>;
  /** It stopped its worker too often: its person is told. */
  giveUp(job: ActJob, id: string): Promise<void>;
}

/** After so long another worker takes over from one that fell silent. */
const lockMs = 10_000;
/** How often a command may stop its worker before it is set aside. */
const mostStops = 3;
/** Looked at again after so long; longer each time, because whoever is before it fetches it. */
const againMs = (times: number) => Math.min(15_000, 1_000 * 2 ** Math.min(times, 4));

export function createActWorker(options: ActOptions): Worker {
  const { perform, giveUp, log, queue, turns, concurrency = 20, ...place } = options;
  const suspects = createSuspects();

  /** The job stays a day so that its id is known; the secrets in it go at once. */
  const dropSecrets = async (job: Job, done: ActJob): Promise<void> => {
    const left = withoutSecrets(done);
    try {
      if (left !== done) await job.updateData(left);
    } catch (error) {
      log.error({ job: job.id, reason: String(error) }, 'a sealed secret stays in a finished job');
    }
  };

  async function wait(job: Job, token: string): Promise<never> {
    await job.moveToDelayed(Date.now() + againMs(job.attemptsStarted), token);
    throw new DelayedError();
  }

  /** The next of this person goes to the end of the queue, behind what others asked for meanwhile. */
  async function next({ person }: ActJob, id: string): Promise<void> {
    try {
      for (const other of await turns.leave({ person, id })) {
        const waiting: Job | undefined = await queue.getJob(other);
        // what runs or stands in the queue already cannot be fetched and need not be
        await waiting?.promote().catch(() => {});
      }
    } catch (error) {
      log.warn({ job: id, reason: String(error) }, 'the next command waits for its timer');
    }
  }

  async function act(job: Job, id: string, read: ActJob, held: Held): Promise<void> {
    try {
      if (job.stalledCounter < mostStops) await perform(read, id, held);
      else {
        log.error(
          { job: id, kind: read.kind, person: read.person },
          'a command stopped its worker too often: set aside',
        );
        await giveUp(read, id);
      }
      await dropSecrets(job, read);
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      log.warn({ job: id }, 'another worker took this job over: nothing more is done here');
      return;
    }
    await next(read, id);
  }

  const worker = createWorker(
    'act',
    place,
    async (job, token = '') => {
      const read = ActJob.safeParse(job.data);
      const id = job.id ?? '';
      if (!read.success) {
        log.error({ job: id }, 'dropped a job that cannot be read');
        return;
      }
      if (!(await turns.take({ person: read.data.person, id }))) await wait(job, token);
      const held = async () => (await job.extendLock(token, lockMs)) === 1;
      const done = await suspects.run(job.stalledCounter, () => act(job, id, read.data, held));
      if (!done) await wait(job, token);
    },
    // counted by ourselves, so that the person is told before the job is over; BullMQ's own count stands behind
    { concurrency, lockDuration: lockMs, stalledInterval: 3_000, maxStalledCount: 2 * mostStops },
  );
  worker.on('error', redisTrouble(log));
  worker.on('failed', (job, error) => {
    log.error({ job: job?.id, reason: error.message }, 'a job failed');
    const read = ActJob.safeParse(job?.data);
    if (!job || !read.success) return;
    void dropSecrets(job, read.data);
    void next(read.data, job.id ?? '');
    giveUp(read.data, job.id ?? '').catch(() => log.error({ job: job.id }, 'nobody could be told'));
  });
  return worker;
}
