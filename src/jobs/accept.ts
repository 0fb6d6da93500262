import type { Queue } from 'bullmq';
import { LRUCache } from 'lru-cache';
import type { Accept, Acceptance, ActJob } from '../chat/act-job.js';
import { within } from '../deadline.js';
import { reasonOf } from '../errors.js';
import { type Log, warnSeldom } from '../log.js';
import { growTo } from '../memory.js';
import type { Person, Store, Turn } from '../store/index.js';
import { sealJob } from './sealed-job.js';

export interface AcceptOptions {
  readonly queue: Queue;
  readonly store: Store;
  readonly log: Log;
  /** Leaves room for the answer within Slack's three seconds. */
  readonly patienceMs?: number;
  /** Work that has to wait for its person's turn is delayed and fetched when it is due; this is how long if the fetch is lost. */
  readonly fetchedAfterMs?: number;
}

const marksTried = 20;
const markAgainMs = 1_000;
/** How long to look whether a form was refused before. */
const lookMs = 300;

/** Work not stored after this long was refused, or its bot died. */
const unstoredMs = 10_000;

/** Takes the turns of commands that ended without leaving, because their worker or bot died; false if there are none. */
export async function dropEnded(
  queue: Queue,
  { turns, now }: Store,
  person: Person,
  holders: readonly Turn[],
): Promise<boolean> {
  const states = await Promise.all(holders.map(({ id }) => queue.getJobState(id)));
  const ended = holders.filter(({ at }, index) => {
    const state = states[index];
    return state === 'completed' || state === 'failed' || (state === 'unknown' && at < now() - unstoredMs);
  });
  for (const { id } of ended) await turns.leave({ person, id });
  return ended.length > 0;
}

/** Stores a command behind its person's others; what Redis does not take in time is refused and never run. */
export function createAccept(options: AcceptOptions): Accept {
  const { queue, store, log, patienceMs = 2_000, fetchedAfterMs = 1_000 } = options;
  /** A refused form is submitted again under the same id: the retry gets a new id, and what was abandoned stays abandoned. */
  const refusals = new LRUCache<string, number>(growTo(10_000));

  async function storeJob(job: ActJob, id: string, isRefused: () => boolean): Promise<Acceptance> {
    const { person } = job;
    const isRoomAgain = async () => dropEnded(queue, store, person, await store.turns.holders(person));
    const first = await store.turns.admit({ person, id });
    const turn = first === 'tooMany' && (await isRoomAgain()) ? await store.turns.admit({ person, id }) : first;
    if (turn === 'tooMany') return turn;
    if (isRefused()) return 'unstored';
    const delay = turn === 'later' ? { delay: fetchedAfterMs } : {};
    await queue.add(job.kind, sealJob(store, job, id), { jobId: id, ...delay });
    return 'accepted';
  }

  // On one server the same connection keeps order: this mark directly follows a job that Redis takes late, so the worker
  // drops it. In a Cluster it may come too late: then the job runs, and its answer says so.
  function abandon(id: string, attempts = marksTried): void {
    store.jobs.mark(id, 'abandoned').catch(() => {
      if (attempts > 1) setTimeout(abandon, markAgainMs, id, attempts - 1).unref();
    });
  }

  /** Also of another bot, or of this one before it was restarted. */
  async function refusedBefore(asked: string, known: number): Promise<number> {
    let attempt = known;
    while (await store.jobs.markOf(attemptId(asked, attempt), 'abandoned')) attempt += 1;
    return attempt;
  }

  return async (job, asked) => {
    const known = refusals.get(asked) ?? 0;
    const attempt = isForm(job)
      ? await within(lookMs, refusedBefore(asked, known), 'too slow').catch(() => known)
      : known;
    const id = attemptId(asked, attempt);
    let refused = false;
    try {
      return await within(
        patienceMs,
        storeJob(job, id, () => refused),
        `no answer within ${patienceMs} ms`,
      );
    } catch (error) {
      refused = true;
      warnSeldom(log, 'not queued', { reason: reasonOf(error) }, 'Redis did not store the work');
      abandon(id);
      store.turns.leave({ person: job.person, id }).catch(() => {});
      refusals.set(asked, attempt + 1);
      return 'unstored';
    }
  };
}

const attemptId = (asked: string, attempt: number): string => (attempt === 0 ? asked : `${asked}-${attempt + 1}`);

/** Only a form can be sent again under its id; everything else has a new id each time. */
const isForm = (job: ActJob): boolean =>
  job.kind === 'command' ? job.source === 'form' : job.kind === 'decision' && job.verdict === 'deny';
