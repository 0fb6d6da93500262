import { DelayedError, type Job, type Queue, type Worker } from 'bullmq';
import type { ActJob } from '../chat/act-job.js';
import { type Held, Overtaken } from '../chat/hold.js';
import { reasonOf } from '../errors.js';
import type { Log } from '../log.js';
import { isRedisError, type Person, redisTrouble, type Store } from '../store/index.js';
import { dropEnded } from './accept.js';
import { createWorker, type QueuePlace } from './queues.js';
import { repeat } from './repeat.js';
import { openJob } from './sealed-job.js';

export interface ActOptions extends QueuePlace {
  readonly store: Store;
  readonly log: Log;
  readonly now: () => number;
  readonly concurrency?: number;
  /** The queue itself, to fetch the next person's job. */
  readonly queue: Queue;
  perform(job: ActJob, id: string, held: Held): Promise<void>;
  /** It failed or stopped its worker too often: its person is notified. */
  giveUp(job: ActJob, id: string): Promise<void>;
  /** Work that Bellows did not accept: nothing was done with the person's account. */
  disown(person: Person): Promise<void>;
  /** How often to look for failed commands whose person was not notified. */
  readonly followMs?: number;
}

/** After this, another worker takes over from one that stopped responding. */
const lockMs = 10_000;
/** How often a command may stop its worker, or fail for another reason than Redis. */
const mostTries = 3;
/** Retry delay; longer each time, because the job before it fetches it anyway. */
const againMs = (times: number) => Math.min(15_000, 1_000 * 2 ** Math.min(times, 4));
const failedAtOnce = 100;

export function createActWorker(options: ActOptions): Worker {
  const { perform, giveUp, disown, log, now, store, queue, concurrency = 20, followMs = 5_000, ...place } = options;
  const { turns } = store;
  const takeUp = createTakeUp({ store, log, now, disown });

  async function wait(job: Job, token: string): Promise<never> {
    await job.moveToDelayed(Date.now() + againMs(job.attemptsStarted), token);
    throw new DelayedError();
  }

  /** This person's next job goes to the end of the queue, behind what others have requested since. */
  async function next({ person }: ActJob, id: string): Promise<void> {
    try {
      const other = await turns.leave({ person, id });
      const waiting: Job | undefined = other === undefined ? undefined : await queue.getJob(other);
      // a job that is running or already queued cannot be fetched and need not be
      await waiting?.promote().catch(() => {});
    } catch (error) {
      log.warn({ job: id, reason: reasonOf(error) }, 'the next command waits for its timer');
    }
  }

  async function mayRun(person: Person, id: string): Promise<boolean> {
    const holders = await turns.take({ person, id });
    if (holders.length === 0) return true;
    return (await dropEnded(queue, store, person, holders)) && (await turns.take({ person, id })).length === 0;
  }

  async function act(job: Job, id: string, read: ActJob, held: Held): Promise<void> {
    try {
      await perform(read, id, held);
      await emptyJob(job, read, log);
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      log.warn({ job: id }, 'another worker took over this job; stopping here');
      return;
    }
    await next(read, id);
  }

  /** Its arguments are cleared last: until then it counts as a failure that its person does not know of. */
  async function tellFailed(job: Job): Promise<void> {
    const id = job.id ?? '';
    const read = openJob(store, job.data, id, now());
    if (!('job' in read)) return;
    await giveUp(read.job, id);
    await emptyJob(job, read.job, log);
    await next(read.job, id);
  }

  /** What could not be said when it failed, because Redis was away or the worker died. */
  async function sweepFailed(): Promise<void> {
    const untold: Job[] = [];
    for (let from = 0, isLast = false; !isLast; from += failedAtOnce) {
      const failed: Job[] = await queue.getFailed(from, from + failedAtOnce - 1);
      const found = failed.filter(
        ({ id = '', data, finishedOn = 0 }) =>
          finishedOn < Date.now() - followMs && 'job' in openJob(store, data, id, now()),
      );
      untold.push(...found);
      isLast = found.length === 0;
    }
    // oldest first: if this ends early, the newest untold one still leads to the others
    for (const job of untold.reverse()) await tellFailed(job);
  }

  const worker = createWorker(
    'act',
    place,
    async (job, token = '') => {
      const id = job.id ?? '';
      const read = await takeUp(job);
      if (!read) return;
      if (!(await mayRun(read.person, id))) await wait(job, token);
      const extendHold = async () => (await job.extendLock(token, lockMs)) === 1;
      await act(job, id, read, extendHold);
    },
    {
      concurrency,
      lockDuration: lockMs,
      stalledInterval: 3_000,
      maxStalledCount: mostTries - 1,
      // a Redis that fails over is given time to come back
      settings: {
        backoffStrategy: (tries, _type, error) => (isRedisError(error) || tries < mostTries ? againMs(tries - 1) : -1),
      },
    },
  );
  const sweeping = repeat(followMs, log, 'failed commands could not be reported', sweepFailed);
  worker.on('closing', () => void sweeping.stop());
  worker.on('error', redisTrouble(log));
  worker.on('failed', (job, error) => {
    if (!job?.finishedOn) return log.warn({ job: job?.id, reason: error.message }, 'a job failed and is tried again');
    log.error({ job: job.id, reason: error.message }, 'a job failed');
    tellFailed(job).catch(() => log.error({ job: job.id }, 'could not notify the person; trying again'));
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
async function emptyJob(job: Job, { person }: ActJob, log: Log): Promise<void> {
  try {
    await job.updateData({ v: 2, person });
  } catch (error) {
    log.error({ job: job.id, reason: reasonOf(error) }, 'could not clear the arguments of a finished job');
  }
}
