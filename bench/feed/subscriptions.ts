import type { Event } from '../../src/feed/event.js';
import type { Api } from '../../src/forge/index.js';
import type { Store } from '../../src/store/index.js';
import { median } from '../median.js';
import { type BenchServices, openServices } from './services.js';

const many = 100_000;
const few = 100;
const perRepository = 20;
const inFlight = 100;
const rounds = 41;
const warming = 5;
const perRound = 50;
/** Followed by three channels in both setups, and by none of the others. */
const watched = 1;
const followers = 3;

const filters = [
  {},
  {},
  {},
  { features: { issues: [], pulls: ['opened', 'merged'] } },
  { labels: [['bug', 'urgent']] },
];

/** What a subscription takes in Redis, and whether others slow down routing. */
export async function subscriptions(): Promise<Record<string, number>> {
  const [crowded, quiet] = [await openServices({} as unknown as Api), await openServices({} as unknown as Api)]; // nothing is asked
  for (const { store } of [crowded, quiet])
    for (let at = 0; at < followers; at++) await follow(store, watched, `C0WATCH${at}`, 0);
  await fill(quiet.store, few);
  const before = await used(crowded);
  await fill(crowded.store, many);
  const bytes = ((await used(crowded)) - before) / many;
  const turns: number[] = [];
  for (let round = -warming; round < rounds; round++) {
    const small = await routing(quiet, round);
    const large = await routing(crowded, round);
    if (round >= 0) turns.push(large / small);
  }
  await Promise.all([crowded.close(), quiet.close()]);
  return { 'feed.bytes_per_subscription': bytes, 'feed.route_growth': median(turns) };
}

async function follow(store: Store, repo: number, channel: string, kind: number): Promise<void> {
  const place = { team: 'T0BENCH001', channel };
  const owner = `U${String((repo * 7) % 1_000).padStart(9, '0')}`;
  const filter = filters[kind % filters.length] ?? {};
  await store.subscriptions.put(
    { place, target: { kind: 'repo', id: repo }, owner, filter },
    `owner-${repo % 300}/repository-${repo}`,
  );
}

/** Twenty channels follow each repository; a channel follows about fifty. */
async function fill(store: Store, count: number): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let at = next++; at < count; at = next++) {
      const channel = `C${String((at * 37) % 2_000).padStart(9, '0')}`;
      await follow(store, 1_000 + Math.floor(at / perRepository), channel, at);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
}

async function used({ redis }: BenchServices): Promise<number> {
  const info = await redis.info('memory');
  return Number(/used_memory:(\d+)/.exec(info)?.[1]);
}

/** Milliseconds for some events, one after the other, from the log to three outboxes. */
async function routing({ jobs, redis }: BenchServices, round: number): Promise<number> {
  const about = { owner: 'acme', name: 'engine', ownerId: 6, defaultBranch: 'main' };
  const started = performance.now();
  for (let at = 0; at < perRound; at++) {
    const event = release(round * perRound + at + warming * perRound + 1);
    await jobs.steps.fanout({ kind: 'repo', id: watched }, about, [{ seq: 1, id: event.id, body: event }]);
  }
  const took = performance.now() - started;
  await redis.del(...(await redis.keys('*channel:T0BENCH001:C0WATCH*')));
  return took;
}

const release = (id: number): Event => ({
  v: 1,
  id: `repo-${watched}:${id}`,
  source: `repo-${watched}`,
  at: '2026-08-22T08:00:00.000Z',
  kind: 'releases:published',
  repo: { id: watched, fullName: 'acme/engine', url: 'http://forge.example/acme/engine', hidden: false },
  actor: { id: 2, login: 'grace', bot: false },
  tag: `v${id}`,
  item: { kind: 'release', title: `v${id}`, url: `http://forge.example/acme/engine/releases/tag/v${id}` },
});
