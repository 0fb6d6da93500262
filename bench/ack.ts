import { randomBytes } from 'node:crypto';
import { startSlack } from '@bellows/sandbox/slack';
import { type Connection, close, connect, ready } from '../src/store/index.js';
import { environmentOf } from '../test/support/processes.js';
import { commands, people, userOf } from './ack/commands.js';
import { load, type Round } from './ack/load.js';
import { steady } from './ack/steady.js';
import { startChild } from './child.js';
import { median } from './median.js';
import { startDurable } from './redis.js';

const connections = 20;
// Many short rounds side by side: both sides then share whatever else the machine is doing.
const perRound = 1_500;
const warmUp = 3;
const rounds = Number(process.env['ACK_ROUNDS'] ?? 41);

/** Signed slash commands, parsed and durably queued, against a bare Bolt app that only acknowledges. */
export async function run(): Promise<Record<string, number>> {
  const users = Array.from({ length: people }, (_, at) => ({ id: userOf(at), name: `bench-${at}` }));
  const [redis, slack] = await Promise.all([startDurable(), startSlack({ mode: 'http', seed: { users } })]);
  const { botToken, apiUrl, signingSecret } = slack;
  const env = environmentOf({
    slack: { botToken, apiUrl, mode: { kind: 'http', signingSecret } },
    forge: { url: 'http://127.0.0.1:9', token: 'unused' },
    redisUrl: redis.url,
    keys: `k1:${randomBytes(32).toString('base64')}`,
  });
  const serverOf = (name: string) => startChild<{ url: string }>(new URL(`./ack/${name}.ts`, import.meta.url), env);
  const admin = connect(redis.url);
  await ready(admin);
  const [bare, queueing, bellows] = await Promise.all([
    serverOf('bare-bolt'),
    serverOf('queueing-bolt'),
    serverOf('bellows-bot'),
  ]);
  const before = new Set(await admin.keys('*'));
  const next = commands({
    secret: signingSecret,
    team: slack.teamId,
    channel: 'C0ENGINE01',
    responseUrl: () => 'http://127.0.0.1:9/unused',
  });
  const results = { bare: [] as Round[], queueing: [] as Round[], bellows: [] as Round[] };
  for (let round = -warmUp; round < rounds; round++) {
    for (const [name, { ready: server }] of [
      ['bare', bare],
      ['queueing', queueing],
      ['bellows', bellows],
    ] as const) {
      const measured = await load(server.url, Array.from({ length: perRound }, next), connections);
      if (name === 'bellows') await isStored(admin);
      await clear(admin, before);
      // The first rounds warm up both and do not count.
      if (round >= 0) results[name].push(measured);
    }
  }
  for (const child of [bare, queueing, bellows]) child.kill();
  await close(admin);
  await Promise.all([slack.close(), redis.close()]);
  const ratio = (rounds: readonly Round[]) =>
    median(rounds.map((round, at) => round.perSecond / (results.bare[at] ?? round).perSecond));
  return {
    'ack.vs_bare_bolt': ratio(results.bellows),
    'ack.queueing_vs_bare_bolt': ratio(results.queueing),
    'ack.per_second': median(results.bellows.map(({ perSecond }) => perSecond)),
    ...(await steady()),
  };
}

/** Removes what a round left behind; emptying Redis would be noticed, and Bellows would start over. */
async function clear(admin: Connection, before: ReadonlySet<string>): Promise<void> {
  const made = (await admin.keys('*')).filter((key) => !before.has(key));
  for (let at = 0; at < made.length; at += 500) await admin.unlink(...made.slice(at, at + 500));
}

/** An acknowledged command that is not in the queue would make every figure worthless. */
async function isStored(admin: Connection): Promise<void> {
  const [list = ''] = await admin.keys('*:act:wait');
  const stored = await admin.llen(list);
  if (stored !== perRound) throw new Error(`${perRound} commands were acknowledged and ${stored} stored`);
}
