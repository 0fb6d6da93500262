import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type SandboxForge, startForge } from '@bellows/sandbox/forge';
import { type SandboxSlack, startSlack } from '@bellows/sandbox/slack';
import { parseFilter } from '../../../src/feed/filter.js';
import { close, connect, createSeal, createStore, plainJson, ready, type Store } from '../../../src/store/index.js';
import { environmentOn } from '../../support/processes.js';
import { buildProgram } from '../../support/program.js';
import { testKeys } from '../../support/redis.js';
import { type Chance, createChance } from './chance.js';
import { type Crew, startCrew } from './crew.js';
import { createDay, type Day } from './day.js';
import { type DurableRedis, startDurableRedis } from './durable-redis.js';
import { amidPoll, amidPost, trouble } from './troubles.js';

export interface Follows {
  readonly channel: string;
  readonly repo: string;
  readonly words: string;
}

interface StormOptions {
  readonly fsync: 'always' | 'everysec';
  readonly historyScopes: boolean;
  readonly kills: number;
  readonly redisStops: number;
  readonly follows: readonly Follows[];
}

export interface Weathered {
  readonly slack: SandboxSlack;
  readonly day: Day;
  readonly store: Store;
  readonly crew: Crew;
  readonly chance: Chance;
  close(): Promise<void>;
}

const policy = `feed: { busySeconds: 1, idleSeconds: 2, requestsPerSecond: 50, digestAbove: 12, takeoverSeconds: 12 }\n`;
const calmMs = 150_000;
const eventsPerKill = 10;

/** A day's work while workers are killed, Redis is restarted, and forge and Slack misbehave; then calm. */
export async function weather(options: StormOptions): Promise<Weathered> {
  const chance = createChance();
  say(`BELLOWS_CHAOS_SEED=${chance.seed}, ${options.kills} kills`);
  const redis = await startDurableRedis(options.fsync);
  const forge = await startForge();
  const slack = await startSlack({ limits: true, historyScopes: options.historyScopes });
  const folder = await mkdtemp(join(tmpdir(), 'bellows-policy-'));
  await writeFile(join(folder, 'bellows.yaml'), policy);
  const program = await buildProgram();
  const connection = connect(redis.url);
  await ready(connection);
  const store = createStore({ redis: connection, forgeId: 'main', seal: createSeal(testKeys) });
  const repos = [...new Set(options.follows.map(({ repo }) => repo))];
  for (const repo of repos) forge.world.createRepo({ as: 'ada', owner: 'acme', name: repo.split('/')[1] ?? '' });
  for (const { channel, repo, words } of options.follows) {
    await store.subscriptions.put(
      {
        place: { team: slack.teamId, channel },
        target: { kind: 'repo', id: forge.world.repo(repo).id },
        owner: 'U0ADA00001',
        filter: plainJson(parseFilter(words)),
      },
      repo,
    );
  }
  const env = environmentOn(
    { forge, slack, redisUrl: redis.url, keys: testKeys },
    { BELLOWS_CONFIG: join(folder, 'bellows.yaml') },
  );
  const crew = await startCrew({ size: 2, env, program: program.command, chance });
  await until('every source was read once', () => primed(store, repos.length * 2));
  const day = createDay(forge, repos, chance);
  await storm({ ...options, chance, forge, slack, redis, crew, day });
  forge.faults.clear();
  slack.faults.clear();
  return {
    slack,
    day,
    store,
    crew,
    chance,
    async close() {
      await crew.stop();
      await close(connection);
      await Promise.all([forge.close(), slack.close(), redis.close(), program.remove()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** For reproducing the same storm. */
export const say = (words: string): void => void process.stdout.write(`chaos: ${words}\n`);

interface Stormy extends Pick<StormOptions, 'kills' | 'redisStops' | 'fsync'> {
  readonly chance: Chance;
  readonly forge: SandboxForge;
  readonly slack: SandboxSlack;
  readonly redis: DurableRedis;
  readonly crew: Crew;
  readonly day: Day;
}

async function storm({ kills, redisStops, fsync, chance, forge, slack, redis, crew, day }: Stormy): Promise<void> {
  let over = false;
  const work = async () => {
    while (!over) {
      // more than channels take in a while proves nothing more
      if (day.count < kills * eventsPerKill) day.act();
      if (chance.percent(35)) trouble(forge, slack, chance);
      await pause(chance.between(100, 1_200));
    }
  };
  const restarts = async () => {
    for (let stop = 1; stop <= redisStops && !over; stop++) {
      while (!over && crew.kills < (kills * stop) / (redisStops + 1)) await pause(100);
      await redis.stop(fsync === 'always' ? 'SIGKILL' : 'SIGTERM');
      await pause(chance.between(100, 2_500));
      await redis.start();
    }
  };
  const working = Promise.all([work(), restarts()]);
  while (crew.kills < kills) {
    const when = chance.between(0, 3);
    if (when === 0) await pause(chance.between(0, 1_500));
    else if (when === 1) await amidPost(slack, chance, 4_000);
    else await amidPoll(forge, 2_000);
    await pause(chance.between(0, 40));
    await crew.kill(chance.percent(25));
    // a message that is never posted between kills is set aside and retried minutes later: this storm would wait for it
    await posted(slack, 20_000);
  }
  over = true;
  await working;
}

/** Resolves when Slack accepted one more message, or after the time limit. */
async function posted(slack: SandboxSlack, patienceMs: number): Promise<void> {
  const took = () => slack.calls.of('chat.postMessage').filter(({ result }) => result['ok'] === true).length;
  const before = took();
  await slack.until(() => took() > before, patienceMs).catch(() => {});
}

export async function primed(store: Store, wanted: number): Promise<boolean> {
  const sources = await store.sources.list();
  const marks = await Promise.all(sources.map(({ source }) => store.marks.get(source)));
  return marks.filter((mark) => mark !== undefined).length >= wanted;
}

/** Nothing is queued anywhere, so nothing more can be posted. */
export async function atRest(store: Store): Promise<boolean> {
  const sources = await store.sources.list();
  const logs = await Promise.all(sources.map(({ source }) => store.marks.backlog(source)));
  const marks = await Promise.all(sources.map(({ source }) => store.marks.get(source)));
  const outboxes = await Promise.all((await store.outbox.pending()).map((place) => store.outbox.view(place)));
  const held = marks.some((mark) => JSON.stringify(mark?.memo ?? {}).includes('"held"'));
  return !held && logs.every((left) => left === 0) && outboxes.every(({ size }) => size === 0);
}

/** Polls, since other processes do the work. The time limit restarts while `left` changes. */
export async function until(
  what: string,
  happened: () => Promise<boolean>,
  patienceMs = calmMs,
  left: () => number = () => 0,
): Promise<void> {
  let last = left();
  let end = Date.now() + patienceMs;
  while (!(await happened())) {
    if (left() !== last) end = Date.now() + patienceMs;
    last = left();
    if (Date.now() > end) throw new Error(`not within ${patienceMs} ms: ${what}`);
    await pause(250);
  }
}
