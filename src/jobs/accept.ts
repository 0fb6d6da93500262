import type { Queue } from 'bullmq';
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

const gatherMs = 1;
const mostAtOnce = 50;

/** Commands that arrive together are stored together: one round trip for all of them. */
export function createAccept({ queue, store, log, patienceMs = 2_000 }: AcceptOptions): Accept {
  let waiting: Waiting[] = [];
  let gathering: NodeJS.Timeout | undefined;

  // Writing to Redis is the dearest step of accepting: commands of the same millisecond share it.
  const flush = () => {
    clearTimeout(gathering);
    gathering = undefined;
    const batch = waiting;
    waiting = [];
    void send(batch);
  };
  const gather = (each: Waiting) => {
    waiting.push(each);
    if (waiting.length >= mostAtOnce) flush();
    else gathering ??= setTimeout(flush, gatherMs);
  };

  async function send(batch: readonly Waiting[]): Promise<void> {
    const jobs = batch.map(({ job, id }) => ({ name: job.kind, data: job, opts: { jobId: id } }));
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
      gather({ job, id, settle });
    });

  // The same connection keeps order: a job that Redis takes late is followed at once by this mark, and the worker drops it.
  function abandon(id: string): void {
    store.jobs.mark(id, 'abandoned').catch(() => {});
  }
}
