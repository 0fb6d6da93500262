import { DelayedError, type Job, type Queue, type Worker } from 'bullmq';
import type { ActJob } from '../chat/act-job.js';
import { type Held, Overtaken } from '../chat/hold.js';
import type { Log } from '../log.js';
import { type Person, redisTrouble, type Store } from '../store/index.js';
import { createWorker, type QueuePlace } from './queues.js';
import { openJob } from './sealed-job.js';
import { createSuspects } from './suspects.js';

export interface ActOptions extends QueuePlace {
  readonly store: Store;
  readonly log: Log;
  readonly now: () => number;
  readonly concurrency?: number;
  /** The queue itself, to fetch the next person's job. */
  readonly queue: Queue;
  perform(job: ActJob, id: string, held: Held): Promise<void>;
  /** It stopped its worker too often: its person is notified. */
  giveUp(job: ActJob, id: string): Promise<void>;
  /** Work that Bellows did not accept: nothing was done with the person's account. */
  disown(person: Person): Promise<void>;
}

/** After this, another worker takes over from one that stopped responding. */
const lockMs = 10_000;
/** How often a command may stop its worker before it is set aside. */
const mostStops = 3;
/** Retry delay; longer each time, because the job before it fetches it anyway. */
const againMs = (times: number) => Math.min(15_000, 1_000 * 2 ** Math.min(times, 4));

export function createActWorker(options: ActOptions): Worker {
  const { perform, giveUp, disown, log, now, store, queue, concurrency = 20, ...place } = options;
  const { turns } = store;
  const takeUp = createTakeUp({ store, log, now, disown });
  const suspects = createSuspects();

  async function wait(job: Job, token: string): Promise<never> {
    await job.moveToDelayed(Date.now() + againMs(job.attemptsStarted), token);
    throw new DelayedError();
  }

  /** This person's next job goes to the end of the queue, behind what others have requested since. */
  async function next({ person }: ActJob, id: string): Promise<void> {
    try {
      for (const other of await turns.leave({ person, id })) {
        const waiting: Job | undefined = await queue.getJob(other);
        // a job that is running or already queued cannot be fetched and need not be
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
      await emptied(job, read, log);
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      log.warn({ job: id }, 'another worker took over this job; stopping here');
      return;
    }
    await next(read, id);
  }

  const worker = createWorker(
    'act',
    place,
    async (job, token = '') => {
      const id = job.id ?? '';
      const read = await takeUp(job);
      if (!read) return;
      if (!(await turns.take({ person: read.person, id }))) await wait(job, token);
      const held = async () => (await job.extendLock(token, lockMs)) === 1;
      const done = await suspects.run(job.stalledCounter, () => act(job, id, read, held));
      if (!done) await wait(job, token);
    },
    // we count ourselves, so that the person is notified before the job ends; BullMQ's own count is a fallback
    { concurrency, lockDuration: lockMs, stalledInterval: 3_000, maxStalledCount: 2 * mostStops },
  );
  worker.on('error', redisTrouble(log));
  worker.on('failed', (job, error) => {
    log.error({ job: job?.id, reason: error.message }, 'a job failed');
    if (!job) return;
    const id = job.id ?? '';
    const read = openJob(store, job.data, id, now());
    if (!('job' in read)) return;
    void emptied(job, read.job, log);
    void next(read.job, id);
    giveUp(read.job, id).catch(() => log.error({ job: id }, 'could not notify the person'));
  });
  return worker;
}

/** Opens the work in a job; anything not ours is refused, recorded and reported. */
function createTakeUp({ store, log, now, disown }: Pick<ActOptions, 'store' | 'log' | 'now' | 'disown'>) {
  return async (job: Job): Promise<ActJob | undefined> => {
    const id = job.id ?? '';
    const read = openJob(store, job.data, id, now());
    if ('job' in read) return read.job;
    // Interrupted between the answer and BullMQ's own mark: it was emptied because it was done.
    if ('over' in read) return undefined;
    const { refused, person } = read;
    const first = store.alarm({ kind: 'job', id, reason: refused, ...(person && { person }) });
    if (first && person) await disown(person).catch(() => log.error({ job: id }, 'could not notify the person'));
    return undefined;
  };
}

/** The job is kept for a day so that its id is known; its arguments are deleted at once. */
async function emptied(job: Job, { person }: ActJob, log: Log): Promise<void> {
  try {
    await job.updateData({ v: 2, person });
  } catch (error) {
    log.error({ job: job.id, reason: String(error) }, 'could not clear the arguments of a finished job');
  }
}
