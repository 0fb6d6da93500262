import type { Job, Worker } from 'bullmq';
import { ActJob } from '../chat/act-job.js';
import { withoutSecrets } from '../chat/arguments.js';
import type { Log } from '../log.js';
import { createWorker, type QueuePlace } from './queues.js';

export interface ActOptions extends QueuePlace {
  readonly concurrency?: number;
  readonly log: Log;
  perform(job: ActJob, id: string): Promise<void>;
  /** The work was cut off too often: its person is told. */
  giveUp(job: ActJob, id: string): Promise<void>;
}

/** How often a job may be cut off (the process killed under it) before it is given up. */
const maxStalledCount = 5;

export function createActWorker({ perform, giveUp, log, concurrency = 20, ...place }: ActOptions): Worker {
  /** The job stays a day so that its id is known; the secrets in it go at once. */
  const dropSecrets = async (job: Job, done: ActJob): Promise<void> => {
    const left = withoutSecrets(done);
    try {
      if (left !== done) await job.updateData(left);
    } catch (error) {
      log.error({ job: job.id, reason: String(error) }, 'a sealed secret stays in a finished job');
    }
  };
  const worker = createWorker(
    'act',
    place,
    async (job) => {
      const read = ActJob.safeParse(job.data);
      if (!read.success) {
        log.error({ job: job.id }, 'dropped a job that cannot be read');
        return;
      }
      await perform(read.data, job.id ?? '');
      await dropSecrets(job, read.data);
    },
    { concurrency, lockDuration: 10_000, stalledInterval: 3_000, maxStalledCount },
  );
  worker.on('error', (error) => log.warn({ reason: error.message }, 'act queue'));
  worker.on('failed', (job, error) => {
    log.error({ job: job?.id, reason: error.message }, 'a job failed');
    const read = ActJob.safeParse(job?.data);
    if (!job || !read.success) return;
    void dropSecrets(job, read.data);
    giveUp(read.data, job.id ?? '').catch(() => log.error({ job: job.id }, 'nobody could be told'));
  });
  return worker;
}
