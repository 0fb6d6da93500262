import { Queue, Worker } from 'bullmq';
import type { Api, Page } from '../../src/forge/index.js';
import type { Activity } from '../../src/forge/schemas/activity.js';
import { median } from '../median.js';
import { type BenchHouse, openServices } from './services.js';

const sources = 8;
const perPoll = 250;
const rounds = 15;
const warming = 6;

/** Events from the forge's rows to the channels' outboxes, against jobs of BullMQ that do nothing. */
export async function events(): Promise<Record<string, number>> {
  const forge = busyForge();
  const services = await openServices(forge.api);
  const { store } = services;
  for (let id = 1; id <= sources; id++) {
    await store.sources.ensure(`repo-${id}`, { owner: 'acme', name: `r${id}`, ownerId: 6, defaultBranch: 'main' });
    await store.subscriptions.put(
      {
        place: place(id),
        target: { kind: 'repo', id },
        owner: 'U0ADA00001',
        filter: { features: { commits: [], repos: [] } },
      },
      `acme/r${id}`,
    );
  }
  await pollAll(services);
  const jobs = await noopJobs(services);
  const turns: { events: number; jobs: number }[] = [];
  for (let round = -warming; round < rounds; round++) {
    const wanted = sources * perPoll;
    forge.happen(perPoll);
    const turn = { jobs: await jobs.run(wanted), events: await timed(wanted, () => pollAll(services)) };
    await emptied(services, perPoll);
    if (round >= 0) turns.push(turn);
  }
  await jobs.close();
  await services.close();
  return {
    'feed.events_vs_bullmq': median(turns.map((turn) => turn.events / turn.jobs)),
    'feed.events_per_second': median(turns.map((turn) => turn.events)),
    'feed.bullmq_jobs_per_second': median(turns.map((turn) => turn.jobs)),
  };
}

const place = (id: number) => ({ team: 'T0BENCH001', channel: `C0BENCH00${id}` });

async function timed(count: number, work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return count / ((performance.now() - started) / 1_000);
}

/** As a worker does it: several sources at once. */
async function pollAll({ store, jobs }: BenchHouse): Promise<void> {
  for (let id = 1; id <= sources; id++) await store.sources.wake(`repo-${id}`);
  await Promise.all((await store.sources.claimDue(sources, 60_000)).map(jobs.steps.poll));
}

/** Every event is there, and makes room for the next. */
async function emptied({ store, redis }: BenchHouse, wanted: number): Promise<void> {
  for (let id = 1; id <= sources; id++) {
    const { size } = await store.outbox.view(place(id));
    if (size !== wanted) throw new Error(`${size} of ${wanted} events are in the outbox`);
  }
  const names = await redis.keys('*channel:T0BENCH001*');
  await redis.del(...names);
}

async function noopJobs({ redis }: BenchHouse) {
  const queue = new Queue('noop', { connection: redis, prefix: '{bench}' });
  const data = { source: 'repo-1', hold: 0 };
  const opts = { removeOnComplete: true, attempts: 1 };
  return {
    /** Added before the clock starts; many at once, as BullMQ advises for short jobs. */
    async run(count: number): Promise<number> {
      await queue.addBulk(Array.from({ length: count }, () => ({ name: 'noop', data, opts })));
      const worker = new Worker('noop', async () => {}, {
        connection: redis,
        prefix: '{bench}',
        concurrency: 50,
        autorun: false,
      });
      await worker.waitUntilReady();
      let left = count;
      const done = new Promise<void>((resolve) => {
        worker.on('completed', () => {
          left -= 1;
          if (left === 0) resolve();
        });
      });
      const rate = await timed(count, () => {
        void worker.run();
        return done;
      });
      await worker.close();
      return rate;
    },
    close: () => queue.close(),
  };
}

/** A forge that answers from memory: HTTP and reading are measured elsewhere. */
function busyForge(): { readonly api: Api; happen(count: number): void } {
  const rows = new Map<number, Activity[]>();
  let id = 0;
  const api = {
    activity: {
      async repoFeed({
        repo,
        query,
      }: {
        repo: string;
        query: { page: number; limit: number };
      }): Promise<Page<Activity>> {
        const all = rows.get(Number(repo.slice(1))) ?? [];
        const from = (query.page - 1) * query.limit;
        const items = all.slice(from, from + query.limit);
        return { items, total: all.length, hasMore: from + items.length < all.length };
      },
    },
  };
  let clock = Date.UTC(2026, 7, 22, 8);
  return {
    // only the feed is asked for pushes
    api: api as unknown as Api,
    happen(count) {
      // an hour later, so that earlier rows lie behind the overlap window
      clock += 3_600_000;
      for (let repo = 1; repo <= sources; repo++) {
        const news = Array.from({ length: count }, (_, at) => row(++id, repo, clock + at * 1_000));
        rows.set(repo, [...news.reverse(), ...(rows.get(repo) ?? []).slice(0, 100)]);
      }
    },
  };
}

/** Pushes and stars; neither needs a further look at the forge, and stars wait for no other half. */
function row(id: number, repo: number, at: number): Activity {
  const commit = { Sha1: id.toString(16).padStart(40, '0'), Message: `Change ${id}\n`, AuthorName: 'Grace' };
  return {
    id,
    op_type: at % 5_000 < 2_000 ? 'commit_repo' : 'star_repo',
    act_user_id: 2,
    act_user: { id: 2, login: 'grace' },
    repo_id: repo,
    repo: { id: repo, full_name: `acme/r${repo}`, html_url: `http://forge.example/acme/r${repo}`, private: false },
    comment_id: 0,
    ref_name: at % 5_000 < 2_000 ? 'refs/heads/main' : '',
    is_private: false,
    content: JSON.stringify({
      Commits: [commit],
      HeadCommit: commit,
      CompareURL: `acme/r${repo}/compare/a...b`,
      Len: 1,
    }),
    created: new Date(at),
  } as unknown as Activity; // the fields that the feed reads
}
