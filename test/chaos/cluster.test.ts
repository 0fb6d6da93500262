import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SandboxForge, startForge } from '@bellows/sandbox/forge';
import { type SandboxSlack, startSlack } from '@bellows/sandbox/slack';
import { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { close, connect, ready } from '../../src/store/index.js';
import { environmentOn, type Part, startPart } from '../support/processes.js';
import { buildProgram } from '../support/program.js';
import { strayKeys, testKeys } from '../support/redis.js';
import { type RedisCluster, startCluster } from './support/cluster.js';

const patience = 60_000;
const repo = 'acme/engine';

describe('on a Redis Cluster of three masters', () => {
  let cluster: RedisCluster;
  let forge: SandboxForge;
  let slack: SandboxSlack;
  let program: Awaited<ReturnType<typeof buildProgram>>;
  let folder: string;
  const parts: Part[] = [];

  beforeAll(async () => {
    [cluster, forge, slack, program] = await Promise.all([startCluster(), startForge(), startSlack(), buildProgram()]);
    folder = await mkdtemp(join(tmpdir(), 'bellows-policy-'));
    await writeFile(join(folder, 'bellows.yaml'), 'feed: { busySeconds: 1, idleSeconds: 1 }\n');
    const env = environmentOn(
      { forge, slack, redisUrl: cluster.url, keys: testKeys },
      { BELLOWS_CONFIG: join(folder, 'bellows.yaml') },
    );
    for (const word of ['bot', 'worker', 'worker'] as const) parts.push(await startPart(word, env, program.command));
  });
  afterAll(async () => {
    await Promise.all(parts.map((part) => part.kill('SIGTERM')));
    await Promise.all([forge.close(), slack.close(), cluster.close(), program.remove()]);
    await rm(folder, { recursive: true, force: true });
  });

  const ada = () => slack.as('ada');
  const answered = (words: string) =>
    slack.until(
      () =>
        ada()
          .sees('engine')
          .find(({ text }) => text.includes(words)),
      patience,
    );

  it('people sign in and act', async () => {
    await ada().command('engine', '/forge', 'signin');
    await ada().fill({ token: forge.account('ada').token() });
    await ada().submit();
    await answered('linked as');
    await ada().command('engine', '/forge', `issue close ${repo}#2`);
    await answered('Closed');
  });

  it('two workers post each event once and in order', async () => {
    await ada().command('engine', '/forge', `subscribe ${repo} issues`);
    await answered('acme/engine');
    // the second poll starts after the first one was learned
    for (let times = 0; times < 3; times++) await forge.requests.next(/engine\/activities\/feeds/);
    const wanted = Array.from({ length: 12 }, (_, at) => `News ${at}.`);
    for (const title of wanted) forge.world.openIssue({ as: 'grace', repo, title });
    const posted = () =>
      slack.state
        .messages('C0ENGINE01')
        .filter(({ text }) => text.startsWith('grace opened issue'))
        .map(({ text }) => text.replace(/^.*#\d+ /, ''));
    await slack.until(() => posted().length >= wanted.length, patience);
    expect(posted()).toEqual(wanted);
  });

  it('two workers never poll a source more often than its schedule', async () => {
    const feed = 'GET /repos/{owner}/{repo}/activities/feeds';
    const probes = () => forge.requests.of(feed).filter(({ query }) => query['limit'] === '10').length;
    const before = probes();
    const started = Date.now();
    for (let times = 0; times < 8; times++) await forge.requests.next(/engine\/activities\/feeds/);
    // a second apart, a tenth of it random
    expect(probes() - before).toBeLessThanOrEqual((Date.now() - started) / 900 + 1);
  });

  it('all three hold only keys from the catalog', async () => {
    const redis = connect(cluster.url);
    await ready(redis);
    if (!(redis instanceof Cluster)) throw new Error('that is no cluster');
    const sizes = await Promise.all(redis.nodes('master').map((node) => node.dbsize()));
    expect(sizes).toHaveLength(3);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    expect(await strayKeys(redis)).toEqual([]);
    await close(redis);
  });
});
