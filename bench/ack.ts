import { type ChildProcess, fork } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Pool } from 'undici';
import { startRedis } from '../src/sandbox/redis.js';
import { startSlack } from '../src/sandbox/slack/index.js';
import { close, connect, ready } from '../src/store/index.js';
import { median } from './median.js';

const connections = 20;
const perRound = 4_000;
const rounds = 7;

interface Signed {
  readonly body: string;
  readonly headers: Record<string, string>;
}

/** Signed slash commands, parsed and durably queued, against a bare Bolt app that only acknowledges. */
export async function run(): Promise<Record<string, number>> {
  const [redis, slack] = await Promise.all([startRedis(), startSlack({ mode: 'http' })]);
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
  const [bare, bellows] = await Promise.all([serverOf('bare-bolt', env), serverOf('bellows-bot', env)]);
  const sign = signer(slack.signingSecret, slack.teamId);
  const results = { bare: [] as Round[], bellows: [] as Round[] };
  for (let round = -1; round < rounds; round++) {
    for (const [name, { url }] of [
      ['bare', bare],
      ['bellows', bellows],
    ] as const) {
      const measured = await load(url, Array.from({ length: perRound }, sign));
      await admin.flushall();
      // The first round warms both up and does not count.
      if (round >= 0) results[name].push(measured);
    }
  }
  bare.child.kill();
  bellows.child.kill();
  await close(admin);
  await Promise.all([slack.close(), redis.close()]);
  const ratio = (pick: (round: Round) => number) =>
    median(results.bellows.map((round, at) => pick(round) / pick(results.bare[at] ?? round)));
  return {
    'ack.vs_bare_bolt': ratio((round) => round.perSecond),
    'ack.p99_vs_bare_bolt': ratio((round) => round.p99),
    'ack.per_second': median(results.bellows.map(({ perSecond }) => perSecond)),
    'ack.p99_ms': median(results.bellows.map(({ p99 }) => p99)),
  };
}

interface Round {
  readonly perSecond: number;
  readonly p99: number;
}

async function serverOf(name: string, env: NodeJS.ProcessEnv): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(new URL(`./ack/${name}.ts`, import.meta.url), { env, execArgv: ['--import', 'tsx'] });
  const [said]: unknown[] = await once(child, 'message');
  if (typeof said !== 'object' || said === null || !('url' in said)) throw new Error(`${name} did not start`);
  return { child, url: String(said.url) };
}

function signer(secret: string, team: string): () => Signed {
  let count = 0;
  return () => {
    count += 1;
    const body = new URLSearchParams({
      team_id: team,
      user_id: 'U0ADA00001',
      channel_id: 'C0ENGINE01',
      command: '/forge',
      text: `issue close acme/engine#${count}`,
      trigger_id: `${process.pid}.${count}.${randomBytes(4).toString('hex')}`,
      response_url: 'http://127.0.0.1:9/unused',
    }).toString();
    const timestamp = Math.floor(Date.now() / 1000).toString();
    const signature = `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
    return {
      body,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': signature,
      },
    };
  };
}

async function load(url: string, requests: readonly Signed[]): Promise<Round> {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections });
  const times: number[] = [];
  let next = 0;
  const started = performance.now();
  const drive = async () => {
    for (let request = requests[next++]; request; request = requests[next++]) {
      const begun = performance.now();
      const { statusCode, body } = await pool.request({ method: 'POST', path: pathname, ...request });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`answered ${statusCode}: ${text.slice(0, 200)}`);
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: connections }, drive));
  const seconds = (performance.now() - started) / 1000;
  await pool.close();
  times.sort((a, b) => a - b);
  return { perSecond: requests.length / seconds, p99: times[Math.floor(times.length * 0.99)] ?? 0 };
}
