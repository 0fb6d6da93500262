import type { Queue } from 'bullmq';
import { LRUCache } from 'lru-cache';
import type { Accept, Acceptance, ActJob } from '../chat/act-job.js';
import { within } from '../deadline.js';
import { reasonOf } from '../errors.js';
import { type Log, warnSeldom } from '../log.js';
import type { Store } from '../store/index.js';
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

interface Waiting {
  readonly job: ActJob;
  readonly id: string;
  readonly since: number;
  readonly resolve: (outcome: Acceptance) => void;
}

/** More than a healthy Redis is ever behind; beyond it commands are refused at once. */
const mostGathered = 1_000;
/** While Redis handles one write, the next can be prepared. */
const mostUnderWay = 2;
const marksTried = 20;
const markAgainMs = 1_000;
/** How long to look whether a form was refused before. */
const lookMs = 300;

/** Commands that arrive together are stored together: few writes at a time, and new arrivals join the next one. */
export function createAccept(options: AcceptOptions): Accept {
  const { queue, store, log, patienceMs = 2_000, fetchedAfterMs = 1_000 } = options;
  /** A refused form is submitted again under the same id: the retry gets a new id, and what was abandoned stays abandoned. */
  const refusals = new LRUCache<string, number>({ max: 10_000 });
  let waiting: Waiting[] = [];
  let underWay = 0;
  let planned = false;

  const plan = () => {
    if (planned || waiting.length === 0 || underWay >= mostUnderWay) return;
    planned = true;
    setImmediate(writeNext);
  };

  async function writeNext(): Promise<void> {
    const batch = waiting;
    waiting = [];
    planned = false;
    underWay += 1;
    await write(batch);
    underWay -= 1;
    plan();
  }

  async function write(batch: readonly Waiting[]): Promise<void> {
    let refused = false;
    const refuse = (reason: string) => {
      if (refused) return;
      refused = true;
      warnSeldom(log, 'not queued', { reason, commands: batch.length }, 'Redis did not store the work');
      for (const { job, id, resolve } of batch) {
        abandon(id);
        store.turns.leave({ person: job.person, id }).catch(() => {});
        resolve('unstored');
      }
    };
    const left = patienceMs - (performance.now() - (batch[0]?.since ?? 0));
    const late = setTimeout(refuse, left, `no answer within ${patienceMs} ms`);
    try {
      const turns = await store.turns.admit(batch.map(({ job, id }) => ({ person: job.person, id })));
      const admitted = batch.flatMap((each, at) => (turns[at] === 'tooMany' ? [] : [{ ...each, turn: turns[at] }]));
      for (const [at, { resolve }] of batch.entries()) if (turns[at] === 'tooMany') resolve('tooMany');
      if (admitted.length === 0 || refused) return;
      await queue.addBulk(
        admitted.map(({ job, id, turn }) => ({
          name: job.kind,
          data: sealJob(store, job, id),
          opts: { jobId: id, ...(turn === 'later' && { delay: fetchedAfterMs }) },
        })),
      );
      for (const { resolve } of admitted) resolve('accepted');
    } catch (error) {
      refuse(reasonOf(error));
    } finally {
      clearTimeout(late);
    }
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
    while (await store.jobs.marked(attemptId(asked, attempt), 'abandoned')) attempt += 1;
    return attempt;
  }

  function gather(job: ActJob, asked: string, attempt: number): Promise<Acceptance> {
    return new Promise((resolve) => {
      if (waiting.length >= mostGathered) return resolve('unstored');
      const answer = (outcome: Acceptance) => {
        if (outcome === 'unstored') refusals.set(asked, attempt + 1);
        resolve(outcome);
      };
      waiting.push({ job, id: attemptId(asked, attempt), since: performance.now(), resolve: answer });
      plan();
    });
  }

  return async (job, asked) => {
    const known = refusals.get(asked) ?? 0;
    if (!isForm(job)) return gather(job, asked, known);
    return gather(job, asked, await within(lookMs, refusedBefore(asked, known), 'too slow').catch(() => known));
  };
}

const attemptId = (asked: string, attempt: number): string => (attempt === 0 ? asked : `${asked}-${attempt + 1}`);

/** Only a form can be sent again under its id; everything else has a new id each time. */
const isForm = (job: ActJob): boolean =>
  job.kind === 'command' ? job.source === 'form' : job.kind === 'decision' && job.verdict === 'deny';
