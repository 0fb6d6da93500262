import type { Queue } from 'bullmq';
import { z } from 'zod';
import type { Place } from '../store/index.js';
import type { FeedDeps } from './feed-deps.js';
import { isForgePaused } from './paced.js';
import { hintOptions } from './queues.js';

export const PollJob = z.object({ source: z.string(), hold: z.number() });
export const DeliverJob = z.object({ team: z.string(), channel: z.string() });

export interface SweepQueues {
  readonly poll: Queue;
  readonly deliver: Queue;
}

const claimAtOnce = 100;
/** Polls that wait for a worker: what is woken comes after them. */
const waitingSeconds = 2;
/** A claim of fewer could not give each kind of source its share. */
const fewest = 12;
const longQueue = 100;
/** One sweep in so many, then. */
const seldom = 6;

/** Jobs are only hints: these two read the records themselves, so that a lost job loses nothing. */
export function createSweep(deps: FeedDeps, queues: SweepQueues) {
  const { store, tempo, policy } = deps;
  const mostWaiting = Math.max(fewest, waitingSeconds * policy.feed.requestsPerSecond);
  let sweeps = 0;
  return {
    /** Every due source goes to one worker. */
    async tick(): Promise<void> {
      // what is not claimed stays due, in order; a claim that waits in a long queue would be made again
      let room = mostWaiting - (await queues.poll.getWaitingCount());
      if (await isForgePaused(deps)) return;
      while (room >= fewest) {
        const due = await store.sources.claimDue(Math.min(claimAtOnce, room), tempo.holdMs);
        if (due.length === 0) return;
        await queues.poll.addBulk(due.map((data) => ({ name: 'poll', data, opts: { ...hintOptions, attempts: 1 } })));
        room -= due.length;
      }
    },

    /** Every outbox that has entries and may be drained now. */
    async sweep(): Promise<void> {
      // behind a long queue most outboxes have their job already: looking for lost ones would only add to it
      const backlogged = (await queues.deliver.getWaitingCount()) > longQueue;
      sweeps += 1;
      if (backlogged && sweeps % seldom !== 0) return;
      for (const place of await store.outbox.pending()) {
        const { size, pause, notBefore } = await store.outbox.view(place);
        if (pause || notBefore !== undefined) continue;
        if (size === 0) await store.outbox.rest(place);
        // separate from `wake`: the job that should exist may have died with its worker
        else
          await queues.deliver.add('deliver', place, {
            ...hintOptions,
            deduplication: { id: `sweep-${place.team}-${place.channel}`, ttl: tempo.sweepMs },
          });
      }
      for (const place of await store.outbox.withAside())
        if (await store.outbox.isRetryDue(place)) await this.wake(place);
    },

    /** Something was added to this outbox. */
    async wake(place: Place): Promise<void> {
      const id = `${place.team}-${place.channel}`;
      await queues.deliver.add('deliver', place, { ...hintOptions, deduplication: { id, keepLastIfActive: true } });
    },
  };
}
