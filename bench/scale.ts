import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { close, connect, createSeal, createStore, ready, type SourceLags, type Store } from '../src/store/index.js';
import { startCluster } from '../test/chaos/support/cluster.js';
import { environmentOf, type Part, startPart } from '../test/support/processes.js';
import { buildProgram } from '../test/support/program.js';
import { startChild } from './child.js';
import { usedBy, watchMachine } from './scale/cpu.js';
import { link, rest, subscribe } from './scale/fill.js';
import { type Census, census } from './scale/keys.js';
import { eventAt, sizes } from './scale/sizes.js';
import type { Post } from './scale/slack.js';
import { watchCommands } from './scale/slots.js';

interface ForgeReady {
  readonly url: string;
  readonly token: string;
  readonly repositories: readonly { readonly id: number; readonly ownerId: number }[];
}
interface Emitted {
  readonly emitted: number[];
}
interface SlackReady {
  readonly apiUrl: string;
  readonly botToken: string;
  readonly teamId: string;
}

const secret = 'a webhook secret';
const events = sizes.eventsPerSecond * sizes.seconds;
const busy = { perSecond: sizes.eventsPerSecond, seconds: sizes.seconds };
const sampleMs = 5_000;
/** So few that each is handled alone: what events cost without a backlog that shares anything. */
const calm = { perSecond: 10, seconds: 10 };
/** What a worker does once after its start costs no event anything. */
const settleMs = 10_000;
/** Twice the permitted requests: about eight a second for three events and what reads them again, and the rest besides. */
const overload = { permitted: 20, perSecond: 3, seconds: 20, repositories: 12, inboxes: 20 };
const lookMs = 250;

/** A whole organization on a Redis Cluster: from the moment something happens until Slack has it. */
export async function run(): Promise<Record<string, number>> {
  const [cluster, forge, slack, program] = await Promise.all([
    startCluster({ durable: true }),
    startChild<ForgeReady>(new URL('./scale/forge.ts', import.meta.url)),
    startChild<SlackReady>(new URL('./scale/slack.ts', import.meta.url)),
    buildProgram(),
  ]);
  const folder = await mkdtemp(join(tmpdir(), 'bellows-scale-'));
  const config = join(folder, 'bellows.yaml');
  // a forge of that size allows a matching rate; webhooks wake, so idle polls may stay rare
  await writeFile(config, 'feed: { requestsPerSecond: 500 }\n');
  const strict = join(folder, 'strict.yaml');
  await writeFile(strict, `feed: { requestsPerSecond: ${overload.permitted} }\n`);
  const keys = `k1:${randomBytes(32).toString('base64')}`;
  const env = environmentOf(
    {
      slack: { ...slack.ready, mode: { kind: 'http', signingSecret: 'unused'.repeat(6) } },
      forge: forge.ready,
      redisUrl: cluster.url,
      keys,
    },
    { NODE_ENV: 'production', FORGE_WEBHOOK_SECRET: secret, BELLOWS_CONFIG: config },
  );
  // the first worker registers the forge in Redis
  const first = await startPart('worker', env, program.command);
  const redis = connect(cluster.url);
  await ready(redis);
  const store = createStore({ redis, forgeId: 'main', seal: createSeal(keys) });
  await first.kill('SIGTERM');

  const figures: Record<string, number> = {};
  const empty = await census(cluster.ports);
  await subscribe(store, forge.ready.repositories);
  const filled = await census(cluster.ports);
  figures['scale.bytes_per_subscription'] = (filled.bytes - empty.bytes) / (sizes.repositories * sizes.followersEach);
  await link(store, slack.ready.teamId, forge.ready.token);
  const linked = await census(cluster.ports);
  figures['scale.bytes_per_person'] = (linked.bytes - filled.bytes) / Math.max(1, sizes.people);
  console.log(`${sizes.repositories * sizes.followersEach} subscriptions and ${sizes.people} people are there`);
  const add = (result: ReturnType<typeof report>) => {
    for (const wrong of ['lost', 'doubled', 'astray'] as const)
      figures[`scale.${wrong}`] = (figures[`scale.${wrong}`] ?? 0) + result[wrong];
  };
  const perWorkers = new Map<number, number>();
  let counted = await census(cluster.ports);
  const start = counted;
  for (const [round, workers] of sizes.workers.entries()) {
    await rest({ store, redis }, forge.ready.repositories, forge.ready.url);
    const parts = await Promise.all(Array.from({ length: workers }, () => startPart('worker', env, program.command)));
    await pause(settleMs);
    await slack.ask({});
    const machine = watchMachine();
    const before = parts.map(({ child }) => usedBy(child.pid));
    const emitting = forge.ask<Emitted>({ round, secret, addresses: parts.map(addressOf), ...busy });
    await pause(Math.min(5_000, (sizes.seconds * 1_000) / 4));
    const watched = await watchCommands(cluster.ports);
    await pause(sampleMs);
    const { hot } = watched();
    const { emitted } = await emitting;
    const posts = await untilPosted(slack, round, events);
    const used = parts.reduce((sum, { child }, at) => sum + usedBy(child.pid) - (before[at] ?? 0), 0);
    figures[`scale.machine_busy_percent_${workers}`] = machine();
    figures[`scale.worker_cpu_ms_per_event_${workers}`] = (used * 1_000) / events;
    const result = report(round, emitted, posts.posts, events);
    perWorkers.set(workers, result.perSecond);
    figures[`scale.lag_p50_ms_${workers}`] = result.p50;
    figures[`scale.lag_p99_ms_${workers}`] = result.p99;
    figures[`scale.posts_per_second_${workers}`] = result.perSecond;
    add(result);
    figures['scale.hot_slot_share'] = Math.max(figures['scale.hot_slot_share'] ?? 0, hot.share);
    figures[`scale.limited_${workers}`] = posts.limited;
    console.log(`${workers} workers: busiest slot ${hot.tag} ${(hot.share * 100).toFixed(0)} %`);
    await Promise.all(parts.map((part) => part.kill('SIGTERM')));
    const after = await census(cluster.ports);
    figures['scale.bytes_per_event'] = (after.bytes - counted.bytes) / events;
    counted = after;
  }
  await rest({ store, redis }, forge.ready.repositories, forge.ready.url);
  const part = await startPart('worker', env, program.command);
  const calls = await callsPerEvent(cluster.ports, async () => {
    const round = sizes.workers.length;
    await forge.ask<Emitted>({ round, secret, addresses: [addressOf(part)], ...calm });
    await untilPosted(slack, round, calm.perSecond * calm.seconds);
  });
  await part.kill('SIGTERM');
  const begin = await rest({ store, redis }, forge.ready.repositories, forge.ready.url, {
    due: {
      repo: (sizes.repositories * 1_000) / overload.repositories,
      inbox: (sizes.people * 1_000) / overload.inboxes,
    },
  });
  const slowed = await startPart('worker', { ...env, BELLOWS_CONFIG: strict }, program.command);
  await pause(Math.max(settleMs, begin - Date.now()));
  const lags = watchLags(store);
  const round = sizes.workers.length + 1;
  const { emitted } = await forge.ask<Emitted>({ round, secret, addresses: [addressOf(slowed)], ...overload });
  const waits = lags.stop();
  for (const [kind, name] of [
    ['woken', 'woken'],
    ['due', 'due'],
    ['inboxes', 'inbox'],
  ] as const)
    figures[`scale.${name}_lag_p99_ms`] = at(
      0.99,
      waits.map((each) => each[kind]),
    );
  const { posts } = await untilPosted(slack, round, overload.perSecond * overload.seconds);
  const woken = report(round, emitted, posts, overload.perSecond * overload.seconds);
  figures['scale.lag_p50_ms_overload'] = woken.p50;
  figures['scale.lag_p99_ms_overload'] = woken.p99;
  add(woken);
  await slowed.kill('SIGTERM');
  for (const [name, each] of calls) if (each >= 0.05) console.log(`per event ${each.toFixed(2)} ${name}`);
  figures['scale.redis_calls_per_event'] = [...calls.values()].reduce((sum, each) => sum + each, 0);
  figures['scale.gb_per_day_at_this_rate'] =
    ((figures['scale.bytes_per_event'] ?? 0) * sizes.eventsPerSecond * 86_400) / 1e9;
  figures['scale.two_workers'] = (perWorkers.get(2) ?? Number.NaN) / (perWorkers.get(1) ?? Number.NaN);
  figures['scale.slack_pace_per_second'] = 5 * sizes.workspaces;
  figures['scale.families_without_end'] = grown(start, counted);
  await close(redis);
  forge.kill();
  slack.kill();
  await Promise.all([cluster.close(), program.remove(), rm(folder, { recursive: true, force: true })]);
  return figures;
}

/** What `work` asked of Redis for each event, by kind, less what an idle worker asks for in that time. */
async function callsPerEvent(ports: readonly number[], work: () => Promise<void>): Promise<Map<string, number>> {
  await pause(sampleMs);
  const idle = await watchCommands(ports);
  await pause(sampleMs);
  const before = idle().calls;
  const watched = await watchCommands(ports);
  const started = Date.now();
  await work();
  const { calls } = watched();
  const longer = (Date.now() - started) / sampleMs;
  const each = [...calls].map(([name, count]) => {
    const more = count - (before.get(name) ?? 0) * longer;
    return [name, more / (calm.perSecond * calm.seconds)] as const;
  });
  return new Map(each.sort(([, a], [, b]) => b - a));
}

/** How long the oldest of each kind waits, again and again until stopped. */
function watchLags(store: Store) {
  const seen: SourceLags[] = [];
  const timer = setInterval(() => void store.sources.lags().then((each) => seen.push(each)), lookMs);
  return {
    stop(): readonly SourceLags[] {
      clearInterval(timer);
      return seen;
    },
  };
}

const addressOf = ({ logged }: Part): string => /"address":"([^"]+)"/.exec(logged.join('\n'))?.[1] ?? '';

interface Posts {
  readonly posts: readonly Post[];
  readonly limited: number;
}

/** All posts of this round, or those within the time limit. */
async function untilPosted(
  slack: { ask<T>(question: object): Promise<T> },
  round: number,
  count: number,
): Promise<Posts> {
  const posts: Post[] = [];
  const wanted = wantedOf(round, count);
  const end = Date.now() + sizes.patienceSeconds * 1_000;
  for (;;) {
    const more = await slack.ask<Posts>({});
    posts.push(...more.posts);
    const seen = new Set(posts.flatMap(({ titles, channel }) => titles.map((title) => `${title} ${channel}`)));
    if ([...wanted.keys()].every((key) => seen.has(key)) || Date.now() > end) return { posts, limited: more.limited };
    await pause(1_000);
  }
}

/** Every event with the channel that should get it. */
const wantedOf = (round: number, count: number): ReadonlyMap<string, number> =>
  new Map(
    Array.from({ length: count }, (_, n) => ({ n, event: eventAt(round, n) })).flatMap(({ n, event }) =>
      event.channel === undefined ? [] : [[`${event.title} ${event.channel}`, n] as const],
    ),
  );

/** The value that this share of all values does not exceed. */
const at = (share: number, values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

function report(round: number, emitted: readonly number[], posts: readonly Post[], count: number) {
  const times = new Map<string, number[]>();
  for (const { titles, channel, at } of posts)
    for (const title of titles) times.set(`${title} ${channel}`, [...(times.get(`${title} ${channel}`) ?? []), at]);
  const lags: number[] = [];
  let lost = 0;
  const wanted = wantedOf(round, count);
  for (const [key, n] of wanted) {
    const [posted] = times.get(key) ?? [];
    if (posted === undefined) lost += 1;
    else lags.push(posted - (emitted[n] ?? posted));
  }
  const doubled = [...times].filter(([, all]) => all.length > 1).length;
  const astray = [...times.keys()].filter((key) => key.startsWith(`E${round}x`) && !wanted.has(key)).length;
  const last = Math.max(...posts.map(({ at }) => at));
  const seconds = (last - (emitted[0] ?? last)) / 1_000;
  return { p50: at(0.5, lags), p99: at(0.99, lags), lost, doubled, astray, perSecond: lags.length / seconds };
}

/** Prints what grew; a family with more lasting entries than there are things grows without bound. */
function grown(start: Census, end: Census): number {
  const things = sizes.repositories + sizes.owners * 3 + sizes.channels * 2 + sizes.people * 2 + 10_000;
  let endless = 0;
  for (const [name, { keys, lasting }] of [...end.families].sort()) {
    const before = start.families.get(name) ?? { keys: 0, lasting: 0 };
    const limit = name.startsWith('subscription') ? sizes.repositories * sizes.followersEach * 2 : things;
    if (lasting > limit) endless += 1;
    if (keys !== before.keys || lasting !== before.lasting)
      console.log(
        `family ${name}: keys ${before.keys} to ${keys}, entries that stay ${before.lasting} to ${lasting}${lasting > limit ? ' WITHOUT END' : ''}`,
      );
  }
  return endless;
}
