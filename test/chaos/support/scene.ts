import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ForgeOptions, type SandboxForge, startForge } from '@bellows/sandbox/forge';
import { type SandboxSlack, startSlack } from '@bellows/sandbox/slack';
import { parseFilter } from '../../../src/feed/filter.js';
import { close, connect, createSeal, createStore, plainJson, ready, type Store } from '../../../src/store/index.js';
import { environmentOn, type Part, startPart } from '../../support/processes.js';
import { buildProgram } from '../../support/program.js';
import { testKeys } from '../../support/redis.js';
import { startDurableRedis } from './durable-redis.js';
import { primed, until } from './storm.js';

export interface Scene {
  readonly forge: SandboxForge;
  readonly slack: SandboxSlack;
  readonly store: Store;
  /** From now on the worker's own clock is off by this much. */
  setClock(offMs: number): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface SceneOptions {
  readonly channel: string;
  readonly repo: string;
  readonly words: string;
  readonly forge?: ForgeOptions;
  readonly historyScopes?: boolean;
  readonly clockMs?: number;
}

const policy = 'feed: { busySeconds: 1, idleSeconds: 2, requestsPerSecond: 50, takeoverSeconds: 12 }\n';

/** One worker in its own process, with a forge, a Slack and a Redis; nothing is killed unless requested. */
export async function startScene(options: SceneOptions): Promise<Scene> {
  const [redis, forge, slack, program] = await Promise.all([
    startDurableRedis('everysec'),
    startForge(options.forge),
    startSlack({ limits: true, historyScopes: options.historyScopes ?? true }),
    buildProgram(),
  ]);
  const folder = await mkdtemp(join(tmpdir(), 'bellows-scene-'));
  const clock = join(folder, 'clock');
  const setClock = (offMs: number) => writeFile(clock, String(offMs));
  await Promise.all([writeFile(join(folder, 'bellows.yaml'), policy), setClock(options.clockMs ?? 0)]);
  const connection = connect(redis.url);
  await ready(connection);
  const store = createStore({ redis: connection, forgeId: 'main', seal: createSeal(testKeys) });
  const { channel, repo, words } = options;
  forge.world.createRepo({ as: 'ada', owner: 'acme', name: repo.split('/')[1] ?? '' });
  await store.subscriptions.put(
    {
      place: { team: slack.teamId, channel },
      target: { kind: 'repo', id: forge.world.repo(repo).id },
      owner: 'U0ADA00001',
      filter: plainJson(parseFilter(words)),
    },
    repo,
  );
  const env = environmentOn(
    { forge, slack, redisUrl: redis.url, keys: testKeys },
    { BELLOWS_CONFIG: join(folder, 'bellows.yaml'), BELLOWS_TEST_CLOCK: clock },
  );
  const skewed = ['--import', join(import.meta.dirname, 'skewed-clock.mjs')];
  const start = (): Promise<Part> => startPart('worker', env, [...skewed, ...program.command]);
  let worker = await start();
  await until('every source was read once', () => primed(store, 1));
  return {
    forge,
    slack,
    store,
    setClock,
    async restart() {
      await worker.kill('SIGKILL');
      worker = await start();
    },
    async close() {
      await worker.kill('SIGTERM');
      await close(connection);
      await Promise.all([forge.close(), slack.close(), redis.close(), program.remove()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
