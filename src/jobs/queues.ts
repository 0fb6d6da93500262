import { Queue, type QueueOptions, Worker, type WorkerOptions } from 'bullmq';
import { queuePrefix } from '../store/keys.js';
import type { Connection } from '../store/redis.js';

export const queueNames = ['act', 'sweep', 'remind'] as const;
export type QueueName = (typeof queueNames)[number];

/** Where a queue is stored: one hash-tagged prefix per forge and queue, so Redis Cluster works. */
export interface QueuePlace {
  readonly connection: Connection;
  readonly forgeId: string;
}

/** Nobody reads a queue's events for long; without our limit it keeps ten times as many. */
const mostEvents = 1_000;

const keepSeconds = 24 * 60 * 60;

/** Options of jobs that are only hints: the records say what is due, so nothing of them is kept. */
export const hintOptions = { removeOnComplete: true, removeOnFail: true } as const;

/** Commands are tried again while Redis fails over; the worker says how long. The longest any is still wanted. */
const jobOptions: Partial<Record<QueueName, QueueOptions['defaultJobOptions']>> = {
  act: { attempts: 120, backoff: { type: 'custom' } },
};

export function createQueue(name: QueueName, place: QueuePlace, options: Partial<QueueOptions> = {}): Queue {
  return new Queue(name, {
    streams: { events: { maxLen: mostEvents } },
    defaultJobOptions: jobOptions[name] ?? {},
    ...options,
    connection: place.connection,
    prefix: queuePrefix(place.forgeId, name),
  });
}

export function createWorker(
  name: QueueName,
  place: QueuePlace,
  process: ConstructorParameters<typeof Worker>[1],
  options: Partial<WorkerOptions> = {},
): Worker {
  return new Worker(name, process, {
    // Finished ids are kept for a day so that a redelivered command runs once; set here, not in every job.
    removeOnComplete: { age: keepSeconds, count: 50_000 },
    removeOnFail: { age: keepSeconds, count: 50_000 },
    ...options,
    connection: place.connection,
    prefix: queuePrefix(place.forgeId, name),
  });
}
