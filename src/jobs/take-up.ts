import type { Job } from 'bullmq';
import type { ActJob } from '../chat/act-job.js';
import type { Log } from '../log.js';
import type { Person, Store } from '../store/index.js';
import { openJob } from './sealed-job.js';

export interface TakeUpOptions {
  readonly store: Store;
  readonly log: Log;
  readonly now: () => number;
  /** Somebody's work that Bellows did not accept: nothing was done in their name. */
  disown(person: Person): Promise<void>;
}

/** The work inside a job; what is none of ours is refused, written down and reported. */
export function createTakeUp({ store, log, now, disown }: TakeUpOptions) {
  return async (job: Job): Promise<ActJob | undefined> => {
    const id = job.id ?? '';
    const read = openJob(store, job.data, id, now());
    if ('job' in read) return read.job;
    // Cut off between the last word and BullMQ's own mark: it was emptied because it was done.
    if ('over' in read) return undefined;
    const { refused, person } = read;
    const first = store.alarm({ kind: 'job', id, reason: refused, ...(person && { person }) });
    if (first && person) await disown(person).catch(() => log.error({ job: id }, 'could not notify the person'));
    return undefined;
  };
}

/** The job stays a day so that its id is known; what was asked goes at once. */
export async function emptied(job: Job, { person }: ActJob, log: Log): Promise<void> {
  try {
    await job.updateData({ v: 2, person });
  } catch (error) {
    log.error({ job: job.id, reason: String(error) }, 'a finished job keeps what was asked');
  }
}
