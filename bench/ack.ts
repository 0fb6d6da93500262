import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { startSlack } from '@bellows/sandbox/slack';
import { type Connection, close, connect, ready } from '../src/store/index.js';
import { commands, people, userOf } from './ack/commands.js';
import { load, type Round } from './ack/load.js';
import { steady } from './ack/steady.js';
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
  const env = {
    ...process.env,
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_SIGNING_SECRET: slack.signingSecret,
    SLACK_API_URL: slack.apiUrl,
    FORGE_URL: 'http://127.0.0.1:9',
    FORGE_TOKEN: 'unused',
    REDIS_URL: redis.url,
    BELLOWS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    PORT: '0',
  };
  const admin = connect(redis.url);
  await ready(admin);
  const [bare, queueing, bellows] = await Promise.all([
    serverOf('bare-bolt', env),
    serverOf('queueing-bolt', env),
    serverOf('bellows-bot', env),
  ]);
  const before = new Set(await admin.keys('*'));
  const next = commands({
    secret: slack.signingSecret,
    team: slack.teamId,
    channel: 'C0ENGINE01',
    responseUrl: () => 'http://127.0.0.1:9/unused',
  });
  const results = { bare: [] as Round[], queueing: [] as Round[], bellows: [] as Round[] };
  for (let round = -warmUp; round < rounds; round++) {
    for (const [name, { url }] of [
      ['bare', bare],
      ['queueing', queueing],
      ['bellows', bellows],
    ] as const) {
      const measured = await load(url, Array.from({ length: perRound }, next), connections);
      if (name === 'bellows') await isStored(admin);
      await clear(admin, before);
      // The first rounds warm up both and do not count.
      if (round >= 0) results[name].push(measured);
    }
  }
  for (const { child } of [bare, queueing, bellows]) child.kill();
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

async function serverOf(name: string, env: NodeJS.ProcessEnv): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(new URL(`./ack/${name}.ts`, import.meta.url), { env, execArgv: ['--import', 'tsx'] });
  const [said]: unknown[] = await once(child, 'message');
  if (typeof said !== 'object' || said === null || !('url' in said)) throw new Error(`${name} did not start`);
  return { child, url: String(said.url) };
}
