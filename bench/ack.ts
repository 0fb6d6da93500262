import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseFilter } from '../src/feed/filter.js';
import { close, connect, createSeal, createStore, plainJson, ready } from '../src/store/index.js';
import { environmentOf } from '../test/support/processes.js';
import { commands, people } from './ack/commands.js';
import { load } from './ack/load.js';
import { startChild } from './child.js';
import { median } from './median.js';
import { startDurable } from './redis.js';

interface World {
  readonly forgeUrl: string;
  readonly forgeToken: string;
  readonly botToken: string;
  readonly signingSecret: string;
  readonly apiUrl: string;
  readonly teamId: string;
  readonly places: readonly { readonly channel: string; readonly name: string; readonly id: number }[];
}

const perSecond = 50;
const perRound = 500;
const connections = 20;
const warmUp = 1;
const rounds = Number(process.env['ACK_ROUNDS'] ?? 9);

/** Fifty commands a second to a process that also polls, delivers and answers them, against a bare Bolt app beside it. */
export async function run(): Promise<Record<string, number>> {
  const [redis, world] = await Promise.all([
    startDurable(),
    startChild<World>(new URL('./ack/world.ts', import.meta.url), { BENCH_PEOPLE: String(people) }),
  ]);
  const folder = await mkdtemp(join(tmpdir(), 'bellows-ack-'));
  await writeFile(join(folder, 'bellows.yaml'), 'feed: { busySeconds: 1, idleSeconds: 1 }\n');
  const keys = `k1:${randomBytes(32).toString('base64')}`;
  const { botToken, apiUrl, signingSecret, teamId, places } = world.ready;
  const env = environmentOf(
    {
      slack: { botToken, apiUrl, mode: { kind: 'http', signingSecret } },
      forge: { url: world.ready.forgeUrl, token: world.ready.forgeToken },
      redisUrl: redis.url,
      keys,
    },
    { BELLOWS_CONFIG: join(folder, 'bellows.yaml') },
  );
  const bellows = await startChild<{ url: string }>(new URL('./ack/bellows-start.ts', import.meta.url), env);
  const bare = await startChild<{ url: string }>(new URL('./ack/bare-bolt.ts', import.meta.url), env);
  const queueing = await startChild<{ url: string }>(new URL('./ack/queueing-bolt.ts', import.meta.url), env);
  const connection = connect(redis.url);
  await ready(connection);
  const store = createStore({ redis: connection, forgeId: 'main', seal: createSeal(keys) });
  const filter = plainJson(parseFilter('issues'));
  for (const { channel, name, id } of places) {
    const place = { team: teamId, channel };
    await store.subscriptions.put({ place, target: { kind: 'repo', id }, owner: 'U0ADA00001', filter }, name);
  }
  let addresses: string[] = [];
  const next = commands({
    secret: signingSecret,
    team: teamId,
    channel: places[0]?.channel ?? '',
    responseUrl: () => addresses.pop() ?? '',
  });
  const results = { bare: [] as number[], queueing: [] as number[], bellows: [] as number[] };
  for (let round = -warmUp; round < rounds; round++) {
    for (const [name, { ready: server }] of [
      ['bare', bare],
      ['queueing', queueing],
      ['bellows', bellows],
    ] as const) {
      addresses = await world.ask({ addresses: perRound });
      const measured = await load(server.url, Array.from({ length: perRound }, next), connections, perSecond);
      if (round >= 0) results[name].push(measured);
    }
  }
  const { posts } = await world.ask<{ posts: number }>({ addresses: 0 });
  if (posts === 0) throw new Error('nothing was delivered meanwhile');
  for (const child of [bellows, queueing, bare, world]) child.kill();
  await close(connection);
  await redis.close();
  await rm(folder, { recursive: true, force: true });
  const ratio = (all: readonly number[]) => median(all.map((p99, at) => p99 / (results.bare[at] ?? p99)));
  return {
    'ack.p99_vs_bare_bolt': ratio(results.bellows),
    'ack.queueing_p99_vs_bare_bolt': ratio(results.queueing),
    'ack.p99_ms': median(results.bellows),
    'ack.delivered_meanwhile': posts,
  };
}
