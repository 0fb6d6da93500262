import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { startForge } from '@bellows/sandbox/forge';
import { startSlack } from '@bellows/sandbox/slack';
import { environmentOn } from '../test/support/processes.js';
import { median } from './median.js';
import { startDurable } from './redis.js';

const rounds = 3;
const idleMs = 10_000;
/** Like `npm start` and the container: small spaces for short-lived objects. */
const flags = ['--max-semi-space-size=1'];

type Env = Readonly<Record<string, string>>;

interface Started {
  readonly child: ChildProcess;
  readonly seconds: number;
}

/** From spawning the built program until it reports ready, checked at /readyz. */
async function start(word: string, env: Env): Promise<Started> {
  const began = performance.now();
  const child = spawn(process.execPath, [...flags, 'dist/cli.js', word], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const [, address] = /"address":"([^"]+)".*ready/.exec(line) ?? [];
    if (address === undefined) continue;
    const answer = await fetch(`${address}/readyz`);
    if (!answer.ok) throw new Error(`${word} is not ready: ${await answer.text()}`);
    return { child, seconds: (performance.now() - began) / 1_000 };
  }
  throw new Error(`${word} ended before it was ready`);
}

async function stop({ child }: Started): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}

/** Resident memory of this process in megabytes. */
function residentMb({ child }: Started): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}

export async function run(): Promise<Readonly<Record<string, number>>> {
  spawnSync('npm', ['run', 'build', '--silent'], { stdio: 'inherit' });
  const [redis, forge, slack] = await Promise.all([startDurable(), startForge(), startSlack()]);
  const keys = `k1:${randomBytes(32).toString('base64')}`;
  const env = environmentOn({ slack, forge, redisUrl: redis.url, keys }, { NODE_ENV: 'production' });
  const seconds: number[] = [];
  const megabytes: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const one = await start('start', env);
    seconds.push(one.seconds);
    await pause(idleMs);
    megabytes.push(residentMb(one));
    await stop(one);
  }
  const both = await Promise.all([start('bot', env), start('worker', env)]);
  await pause(idleMs);
  const apart = both.reduce((sum, each) => sum + residentMb(each), 0);
  await Promise.all(both.map(stop));
  await Promise.all([redis.close(), forge.close(), slack.close()]);
  return { 'start.seconds': median(seconds), 'start.rss_mb': median(megabytes), 'start.rss_apart_mb': apart };
}
