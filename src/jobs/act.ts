import type { Job, Worker } from 'bullmq';
import { ActJob } from '../chat/act-job.js';
import { withoutSecrets } from '../chat/arguments.js';
import { type Held, Overtaken } from '../chat/hold.js';
import type { Log } from '../log.js';
import { createWorker, type QueuePlace } from './queues.js';

export interface ActOptions extends QueuePlace {
  readonly concurrency?: number;
  readonly log: Log;
  perform(job: ActJob, id: string, held: Held): Promise<void>;
  /** The work was cut off too often: its person is told. */
  giveUp(job: ActJob, id: string): Promise<void>;
}

/** How often a job may be cut off (the process killed under it) before it is given up. */
const maxStalledCount = 5;
/** After so long another worker takes over from one that fell silent. */
const lockMs = 10_000;

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
    async (job, token = '') => {
      const read = ActJob.safeParse(job.data);
      if (!read.success) {
        log.error({ job: job.id }, 'dropped a job that cannot be read');
        return;
      }
      const held = async () => (await job.extendLock(token, lockMs)) === 1;
      try {
        await perform(read.data, job.id ?? '', held);
        await dropSecrets(job, read.data);
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error;
        log.warn({ job: job.id }, 'another worker took this job over: nothing more is done here');
      }
    },
    { concurrency, lockDuration: lockMs, stalledInterval: 3_000, maxStalledCount },
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
