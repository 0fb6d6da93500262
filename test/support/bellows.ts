import { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { type ForgeOptions, type SandboxForge, startForge } from '@bellows/sandbox/forge';
import { openSignInDoor } from '@bellows/sandbox/sign-in-door.js';
import { type SandboxSlack, type SlackOptions, startSlack } from '@bellows/sandbox/slack';
import type { Hono } from 'hono';
import { startBot } from '../../src/bot.js';
import type { PolicyFile } from '../../src/config/file.js';
import { type Config, callbackUrl } from '../../src/config.js';
import { linkAccount } from '../../src/features/accounts/link.js';
import { createForge } from '../../src/forge/index.js';
import { mountMcp } from '../../src/http/mcp.js';
import type { Metrics } from '../../src/http/metrics.js';
import { serve } from '../../src/http/server.js';
import { createLog } from '../../src/log.js';
import { openDoor } from '../../src/mcp/open.js';
import { createManifest } from '../../src/slack/manifest.js';
import { createSeal, createStore } from '../../src/store/index.js';
import type { WorkerTempo } from '../../src/worker/tempo.js';
import { startWorker } from '../../src/worker.js';
import { wrongButtons } from './buttons.js';
import { quickPolicy, quickTempo } from './quick.js';
import { freshRedis, testKeys } from './redis.js';

export interface BellowsOptions {
  readonly mode?: 'socket' | 'http';
  readonly forge?: ForgeOptions;
  readonly slack?: SlackOptions;
  /** The text of bellows.yaml. */
  readonly policy?: string;
  readonly parts?: readonly ('bot' | 'worker')[];
  /** Serves /mcp. */
  readonly agents?: boolean;
  /** Where the forge could call back. */
  readonly publicUrl?: string;
  /** The app gets the messages of its channels. */
  readonly threadSync?: boolean;
  /** The slash command; default: /forge */
  readonly command?: string;
  /** Bellows is registered at the forge: people sign in there. */
  readonly oauth?: {
    readonly confidential?: boolean;
    /** For a real forge. */
    register?(redirect: string): Promise<NonNullable<Config['forge']['oauth']>>;
  };
  readonly metrics?: Metrics;
  /** `debug` for tests that search every line; redacting one takes a quarter of a millisecond. */
  readonly logLevel?: 'debug';
  /** A real forge instead of the sandbox, with the bot account's token. */
  readonly real?: { readonly url: string; readonly token: string };
  /** Another connection to Redis for the bot: a wire that can be held or cut. */
  readonly botRedis?: (url: string) => Promise<string>;
  /** More often than bellows.yaml accepts: how long after one poll of the forge the next follows. */
  readonly pollMs?: number;
  /** Where the usual turns of a test would disturb it. */
  readonly tempo?: Partial<WorkerTempo>;
}

/** The whole product on stand-ins: real Redis, real Bolt, real HTTP and WebSocket. */
export interface Bellows {
  readonly slack: SandboxSlack;
  readonly forge: SandboxForge;
  readonly config: Config;
  readonly redisUrl: string;
  /** Where its own HTTP server listens, if it does. */
  readonly address: string;
  /** Every log line so far. */
  readonly logged: readonly string[];
  /** Links a person as the sign-in form does; by default with the sandbox's token for the login. */
  link(user: string, login?: string, token?: string): Promise<void>;
  /** The same by typing it. */
  signIn(user: string, login?: string): Promise<void>;
  close(): Promise<void>;
}

/** The app as the manifest defines it: anything it does not request is refused, or never delivered. */
function appByManifest(command: string, { matchEmail, workObjects }: PolicyFile, threadSync = false): SlackOptions {
  const manifest = createManifest({ command, forgeHost: '127.0.0.1', matchEmail, threadSync, workObjects });
  return {
    scopes: manifest.oauth_config?.scopes?.bot ?? [],
    events: manifest.settings?.event_subscriptions?.bot_events ?? [],
    commands: manifest.features?.slash_commands?.map(({ command }) => command) ?? [],
    unfurlDomains: manifest.features?.unfurl_domains ?? [],
  };
}

const policyByDefault = 'roles:\n  admin:\n    users: [U0ADA00001]\n';

export async function startBellows(options: BellowsOptions = {}): Promise<Bellows> {
  const { mode = 'socket', command = '/forge' } = options;
  const policy = quickPolicy(options.policy ?? policyByDefault, options.pollMs);
  const [redis, forge, slack] = await Promise.all([
    freshRedis(),
    startForge(options.forge),
    // a busy machine is no failure: tests about Slack's three seconds measure them themselves
    startSlack({ mode, ackTimeoutMs: 60_000, ...appByManifest(command, policy, options.threadSync), ...options.slack }),
  ]);
  const logged: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      logged.push(String(chunk));
      done();
    },
  });
  const { logLevel = 'info' } = options;
  const log = createLog({ level: logLevel, destination });
  const door = options.oauth && (await openSignInDoor(log));
  const program = door && (await registered(callbackUrl(door.address)));
  async function registered(redirect: string): Promise<Config['forge']['oauth']> {
    const { register, confidential = true } = options.oauth ?? {};
    if (register) return register(redirect);
    const app = forge.world.registerApp({ as: 'ada', name: 'Bellows', redirectUris: [redirect], confidential });
    return { clientId: app.clientId, clientSecret: confidential ? app.secret : undefined };
  }
  const config: Config = {
    slack: {
      botToken: slack.botToken,
      apiUrl: slack.apiUrl,
      mode:
        mode === 'socket'
          ? { kind: 'socket', appToken: slack.appToken }
          : { kind: 'http', signingSecret: slack.signingSecret },
    },
    forge: {
      url: options.real?.url ?? forge.url,
      webUrl: undefined,
      token: options.real?.token ?? forge.users['bellows-bot']?.token() ?? '',
      webhookSecret: 'a webhook secret',
      oauth: program,
      ca: undefined,
      proxy: undefined,
    },
    redisUrl: redis.url,
    keys: testKeys,
    namespace: 'main',
    command,
    publicUrl: door?.address ?? options.publicUrl,
    queuesPassword: undefined,
    http: { host: '127.0.0.1', port: 0 },
    logLevel,
    policy,
  };
  let client: ReturnType<typeof createForge> | undefined;
  const parts = options.parts ?? ['bot', 'worker'];
  const botConfig = options.botRedis ? { ...config, redisUrl: await options.botRedis(redis.url) } : config;
  const bot = parts.includes('bot') ? await startBot(botConfig, log, options.metrics) : undefined;
  const tempo = { ...quickTempo, ...options.tempo };
  const worker = parts.includes('worker') ? await startWorker(config, log, options.metrics, tempo) : undefined;
  door?.open((bot ?? worker)?.signIn);
  const routes = (app: Hono) => {
    if (bot && options.agents)
      mountMcp(app, { log, publicUrl: config.publicUrl, off: bot.agents.off, open: openDoor(bot.agents) });
  };
  const serves = bot && (bot.listener || options.agents);
  const http = serves ? await serve({ ...config.http, slack: bot.listener, log, routes }) : undefined;
  if (http && bot?.listener) await slack.deliverTo(`${http.address}/slack/events`);
  return {
    slack,
    forge,
    config,
    redisUrl: redis.url,
    address: http?.address ?? '',
    logged,
    async link(user, login = user, token = forge.account(login).token()) {
      client ??= createForge({ url: config.forge.url, log });
      const store = createStore({ redis: redis.redis, forgeId: config.namespace, seal: createSeal(config.keys) });
      const person = { team: slack.teamId, user: slack.as(user).id };
      await linkAccount({ token }, { store, forge: client, person, role: 'everyone', now: new Date(), log });
    },
    async signIn(user, login = user) {
      const actor = slack.as(user);
      await actor.command('general', command, 'signin');
      await slack.until(() => actor.openView());
      // someone who links again has an earlier answer there
      const answers = () => actor.sees('general').filter(({ text }) => text.includes('linked as')).length;
      const before = answers();
      await actor.fill({ token: forge.account(login).token() });
      await actor.submit();
      await slack.until(() => answers() > before);
    },
    async close() {
      // Everything drawn in any test can be clicked.
      const all = slack.calls.all.flatMap(({ args }) => wrongButtons(args));
      // a server that has only what the document lists says no ids
      const wrong = all.filter((each) => options.forge?.flavor !== 'document' || !each.includes('holds no id'));
      await Promise.all([http?.stop(), door?.stop()]);
      await bot?.stop();
      // what is under way ends sooner with a forge, unless a test holds its answer back
      const stopped = worker?.stop();
      await Promise.race([stopped, pause(100)]);
      await forge.close();
      await client?.close();
      await stopped;
      await slack.close();
      await redis.close();
      if (wrong.length > 0) throw new Error([...new Set(wrong)].join('\n'));
    },
  };
}
