import { Queue, Worker } from 'bullmq';
import { createForge } from '../../src/forge/index.js';
import { startChild } from '../child.js';
import { median } from '../median.js';
import type { Happen } from './busy-forge.js';
import { type BenchServices, openServices } from './services.js';

const sources = 8;
const perPoll = 50;
const rounds = Number(process.env['FEED_ROUNDS'] ?? 15);
const warming = 3;
const mostPolls = 10;

/** Events from a forge over HTTP to the channels' outboxes, with lookups, against as many no-op BullMQ jobs. */
export async function events(): Promise<Record<string, number>> {
  const child = await startChild<BusyForge>(new URL('./busy-forge.ts', import.meta.url), {
    BENCH_REPOSITORIES: String(sources),
  });
  const { url, token, ids } = child.ready;
  const forge = createForge({ url, maxInFlight: 16 });
  const services = await openServices(forge.as({ kind: 'token', token }));
  const { store } = services;
  for (const [at, id] of ids.entries()) {
    const name = `busy-${at + 1}`;
    await store.sources.ensure(`repo-${id}`, { owner: 'acme', name, ownerId: 7, defaultBranch: 'main' });
    const filter = { features: { commits: [], issues: [], comments: [] } };
    const target = { kind: 'repo' as const, id };
    await store.subscriptions.put({ place: place(id), target, owner: 'U0ADA00001', filter }, `acme/${name}`);
  }
  await pollAll(services, ids);
  const jobs = noopJobs(services);
  const turns: { events: number; jobs: number }[] = [];
  for (let round = -warming; round < rounds; round++) {
    const wanted = sources * perPoll;
    await child.ask<object>({ repositories: sources, count: perPoll } satisfies Happen);
    const turn = {
      jobs: await timed(wanted, () => jobs.run(wanted)),
      events: await timed(wanted, () => untilQueued(services, ids)),
    };
    await services.redis.del(...(await services.redis.keys('*channel:T0BENCH001*')));
    if (round >= 0) turns.push(turn);
  }
  await jobs.close();
  await services.close();
  await forge.close();
  child.kill();
  return {
    'feed.events_vs_bullmq': median(turns.map((turn) => turn.events / turn.jobs)),
    'feed.events_per_second': median(turns.map((turn) => turn.events)),
    'feed.bullmq_jobs_per_second': median(turns.map((turn) => turn.jobs)),
  };
}

interface BusyForge {
  readonly url: string;
  readonly token: string;
  readonly ids: readonly number[];
}

const place = (id: number) => ({ team: 'T0BENCH001', channel: `C0BENCH${String(id).padStart(4, '0')}` });

async function timed(count: number, work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return count / ((performance.now() - started) / 1_000);
}

/** Like a worker: several sources at once. */
async function pollAll({ store, jobs }: BenchServices, ids: readonly number[]): Promise<void> {
  await Promise.all(ids.map((id) => store.sources.wake(`repo-${id}`)));
  await Promise.all((await store.sources.claimDue(sources, 60_000)).map(jobs.steps.poll));
}

/** The newest rows are held back once, because their other half may still come: they are polled again, as in real life. */
async function untilQueued(services: BenchServices, ids: readonly number[]): Promise<void> {
  for (let polls = 0; polls < mostPolls; polls++) {
    await pollAll(services, ids);
    const sizes = await Promise.all(ids.map(async (id) => (await services.store.outbox.view(place(id))).size));
    if (sizes.every((size) => size >= perPoll)) return;
  }
  throw new Error('not every event came into its outbox');
}

/** As many jobs as there are events, added in the same batches, each taken by a worker that does nothing. */
function noopJobs({ redis }: BenchServices) {
  const queue = new Queue('noop', { connection: redis, prefix: '{bench}' });
  const data = { source: 'repo-1', hold: 0 };
  const opts = { removeOnComplete: true, attempts: 1 };
  let left = 0;
  let done = () => {};
  const worker = new Worker('noop', async () => {}, { connection: redis, prefix: '{bench}', concurrency: 50 });
  worker.on('completed', () => {
    left -= 1;
    if (left === 0) done();
  });
  return {
    async run(count: number): Promise<void> {
      left = count;
      const finished = new Promise<void>((resolve) => {
        done = resolve;
      });
      const batch = Array.from({ length: perPoll }, () => ({ name: 'noop', data, opts }));
      await Promise.all(Array.from({ length: count / perPoll }, () => queue.addBulk(batch)));
      await finished;
    },
    async close(): Promise<void> {
      await worker.close();
      await queue.close();
    },
  };
}
