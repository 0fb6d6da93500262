import type { JobsOptions, Queue } from 'bullmq';
import type { ActJob } from '../chat/act-job.js';
import type { Log } from '../log.js';
import type { Store } from '../store/index.js';

/** True only when the job stands in Redis; false means nothing was accepted and nothing will run. */
export type Accept = (job: ActJob, id: string) => Promise<boolean>;

export interface AcceptOptions {
  readonly queue: Queue;
  readonly store: Store;
  readonly log: Log;
  /** Leaves room for the answer inside Slack's three seconds. */
  readonly patienceMs?: number;
}

interface Waiting {
  readonly job: ActJob;
  readonly id: string;
  readonly settle: (accepted: boolean) => void;
}

const mostAtOnce = 200;
const mostInFlight = 2;
const jobOptions: JobsOptions = { attempts: 1 };

/** Commands that arrive together are stored together: one round trip for all of them. */
export function createAccept({ queue, store, log, patienceMs = 2_000 }: AcceptOptions): Accept {
  let waiting: Waiting[] = [];
  let inFlight = 0;

  // Alone a command goes at once. Together they gather while two batches are on their way: writing to Redis is the
  // dearest step, and with two of them this process never idles while Redis works.
  const flush = () => {
    if (waiting.length === 0 || inFlight >= mostInFlight) return;
    const batch = waiting.slice(0, mostAtOnce);
    waiting = waiting.slice(mostAtOnce);
    inFlight += 1;
    void send(batch).finally(() => {
      inFlight -= 1;
      flush();
    });
  };

  async function send(batch: readonly Waiting[]): Promise<void> {
    const jobs = batch.map(({ job, id }) => ({ name: job.kind, data: job, opts: { ...jobOptions, jobId: id } }));
    try {
      await queue.addBulk(jobs);
      for (const { settle } of batch) settle(true);
    } catch (error) {
      log.error({ reason: error instanceof Error ? error.message : 'unknown' }, 'Redis did not take the work');
      for (const { settle } of batch) settle(false);
    }
  }

  return (job, id) =>
    new Promise<boolean>((resolve) => {
      const settle = (accepted: boolean) => {
        clearTimeout(timer);
        if (!accepted) abandon(id);
        resolve(accepted);
      };
      const timer = setTimeout(() => settle(false), patienceMs);
      waiting.push({ job, id, settle });
      if (waiting.length === 1) setImmediate(flush);
    });

  // The same connection keeps order: a job that Redis takes late is followed at once by this mark, and the worker drops it.
  function abandon(id: string): void {
    store.jobs.mark(id, 'abandoned').catch(() => {});
  }
}
