import { randomBytes } from 'node:crypto';
import type { Hono } from 'hono';
import { startBot } from '../../src/bot.js';
import { type Config, callbackUrl } from '../../src/config.js';
import { mountMcp } from '../../src/http/mcp.js';
import { type Served, serve } from '../../src/http/server.js';
import type { Log } from '../../src/log.js';
import { openDoor } from '../../src/mcp/open.js';
import { shortcuts } from '../../src/slack/doors/shortcut.js';
import type { WorkerTempo } from '../../src/worker/tempo.js';
import { startWorker } from '../../src/worker.js';
import { addFailingRuns } from './failing-runs.js';
import { startForge } from './forge/index.js';
import { addForkRun } from './fork-run.js';
import { isLinked } from './linked.js';
import { createActivity } from './page/activity.js';
import { builtAssets, createPage, forgePath } from './page/server.js';
import { addQueuePulls } from './queue-pulls.js';
import { startRedis } from './redis.js';
import { paceRuns } from './run-pace.js';
import { people, sandboxPolicy, slackSeed } from './seed.js';
import { openSignInDoor } from './sign-in-door.js';
import { type SandboxSlack, startSlack } from './slack/index.js';
import { createTour, type Tour } from './tour.js';

export interface SandboxOptions {
  /** The preferred port of the page; another one is used if it is taken. */
  readonly port: number;
  readonly log: Log;
  /** REDIS_URL, if set. */
  readonly redisUrl?: string | undefined;
  readonly slash?: string;
  readonly assets?: string;
  readonly tempo?: Partial<WorkerTempo>;
}

export interface Sandbox {
  readonly address: string;
  /** Which Redis this is, in a sentence. */
  readonly redis: string;
  readonly slack: SandboxSlack;
  readonly forge: Awaited<ReturnType<typeof startForge>>;
  readonly tour: Tour;
  stop(): Promise<void>;
}

// Other machines could act as anyone: the page never leaves this one.
const host = '127.0.0.1';

/** Everything on stand-ins, with the real bot and worker between them. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { log, slash = '/forge' } = options;
  const page = createPage({ assets: options.assets ?? builtAssets });
  let open: ReturnType<typeof openDoor> | undefined;
  const routes = (app: Hono) => {
    mountMcp(app, { log, publicUrl: undefined, off: undefined, open: async (token) => open?.(token) });
    page.routes(app);
  };
  const http = await serveNear(options.port, log, routes);
  const [redis, forge, slack] = await Promise.all([
    startRedis({ url: options.redisUrl }),
    startForge({ rootUrl: `${http.address}${forgePath}` }),
    startSlack({ seed: slackSeed, commands: [slash], unfurlDomains: [host], limits: false }),
  ]);
  addForkRun(forge);
  addFailingRuns(forge);
  const queuePulls = addQueuePulls(forge);
  const door = await openSignInDoor(log);
  const program = forge.world.registerApp({
    as: 'bellows-bot',
    name: 'Bellows',
    redirectUris: [callbackUrl(door.address)],
    confidential: true,
  });
  const config: Config = {
    slack: { botToken: slack.botToken, apiUrl: slack.apiUrl, mode: { kind: 'socket', appToken: slack.appToken } },
    forge: {
      url: forge.url,
      webUrl: `${http.address}${forgePath}`,
      token: forge.account('bellows-bot').token(),
      webhookSecret: undefined,
      oauth: { clientId: program.clientId, clientSecret: program.secret },
      ca: undefined,
      proxy: undefined,
    },
    redisUrl: redis.url,
    keys: `sandbox:${randomBytes(32).toString('base64')}`,
    namespace: 'main',
    command: slash,
    publicUrl: door.address,
    queuesPassword: undefined,
    http: { host, port: 0 },
    logLevel: 'warn',
    policy: sandboxPolicy(),
  };
  const [bot, worker] = await Promise.all([startBot(config, log), startWorker(config, log, undefined, options.tempo)]);
  open = openDoor(bot.agents);
  door.open(bot.signIn);
  await slack.until(() => slack.socket.connections > 0);
  await Promise.all(people.filter(({ linked }) => linked).map(({ name }) => link(slack, forge, name, slash)));
  await greet(slack, `${http.address}${forgePath}`, slash);
  const stopRuns = paceRuns(forge);
  const tour = createTour({ slack, forge, slash, queuePulls });
  page.show({
    slack,
    forge,
    slash,
    tour,
    activity: createActivity(forge, Date.now),
    shortcuts: Object.entries(shortcuts).map(([id, { name, type }]) => ({ id, name, type })),
    redis: redis.word,
  });
  return {
    address: http.address,
    redis: redis.word,
    slack,
    forge,
    tour,
    async stop() {
      stopRuns();
      queuePulls.stop();
      await page.close();
      await Promise.all([http.stop(), door.stop()]);
      await Promise.all([bot.stop(), worker.stop()]);
      await Promise.all([slack.close(), forge.close()]);
      await redis.close();
    },
  };
}

async function serveNear(port: number, log: Log, routes: (app: Hono) => void): Promise<Served> {
  try {
    return await serve({ host, port, log, routes });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    return serve({ host, port: 0, log, routes });
  }
}

/** Some content for the first channel: people at work, and a card under a link. */
async function greet(slack: SandboxSlack, web: string, slash: string): Promise<void> {
  await slack.as('margaret').post('general', `Morning! Start with ${slash} signin, then try the tour on the right.`);
  await slack.as('grace').post('general', `Can someone look at ${web}/acme/engine/issues/2 today?`);
}

/** By the same form as everyone, in their own direct messages. */
async function link(slack: SandboxSlack, forge: Sandbox['forge'], name: string, slash: string): Promise<void> {
  const actor = slack.as(name);
  await actor.command(actor.dm, slash, 'signin other');
  await actor.fill({ token: forge.account(name).token() });
  await actor.submit();
  await slack.until(() => isLinked(slack, actor.id));
}
