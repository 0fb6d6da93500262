import { LRUCache } from 'lru-cache';
import { isSupported } from './chat/admit.js';
import { createCatalog } from './chat/catalog.js';
import type { AnyCommand } from './chat/command.js';
import { createRecord } from './chat/record.js';
import type { SignIn } from './chat/sign-in.js';
import type { Config } from './config.js';
import { commands } from './features/index.js';
import type { Announcement } from './feed/ports.js';
import type { ServerWords } from './forge/product.js';
import type { Metrics } from './http/metrics.js';
import { createAccept } from './jobs/accept.js';
import { createQueue } from './jobs/queues.js';
import { takeUpNow, wakeRepository } from './jobs/wake.js';
import type { Log } from './log.js';
import { type AgentDoor, createAgentDoor } from './mcp/door.js';
import { growTo } from './memory.js';
import { joinSignIn, openServices } from './services.js';
import { createAnswers } from './slack/answer.js';
import { createEdge, type Edge, slackTrouble } from './slack/app.js';
import { type DoorDeps, readingOf } from './slack/door-deps.js';
import { createEventHandlers } from './slack/events.js';
import { createHome } from './slack/home.js';
import { withReopen } from './slack/reopen.js';
import { redisTrouble } from './store/index.js';

export interface Running {
  stop(): Promise<void>;
}

/** One of the two processes, as its HTTP server sees it. */
export interface Part extends Running {
  /** Rejects with the reason while it cannot work. */
  ready(): Promise<void>;
  /** Where browsers sign in; absent where people sign in by token. */
  readonly signIn: SignIn | undefined;
  /** The forge reports activity in this repository. */
  wake(repoId: number, announced: Announcement): Promise<void>;
  /** What it serves, for the log. */
  readonly about: { readonly workspace: string; server(): Promise<ServerWords> };
}

export interface Bot extends Part {
  /** HTTP mode: the handler for /slack/events. */
  readonly listener: Edge['listener'];
  /** Serves agents' requests. */
  readonly agents: AgentDoor;
}

/** After this, the person gets an error: nothing was accepted. */
const redisPatienceMs = 1_800;
const capabilitiesEveryMs = 60_000;
const zonesForMs = 60 * 60_000;

/** The process that listens to Slack: it parses, admits, stores work and acknowledges. */
export async function startBot(config: Config, log: Log, metrics?: Metrics): Promise<Bot> {
  const open = await openServices({ config, log, redisTimeoutMs: redisPatienceMs, metrics });
  const { services, identity, client, redis } = open;
  const queue = createQueue('act', { connection: redis, forgeId: open.forgeId });
  const sweep = createQueue('sweep', { connection: redis, forgeId: open.forgeId });
  for (const each of [queue, sweep]) each.on('error', redisTrouble(log));
  const catalog = createCatalog(commands);
  const missing = watchCapabilities(catalog.all, (command) => isSupported(command, services.forge));
  const deps: DoorDeps = {
    services,
    catalog,
    client,
    team: identity.teamId,
    accept: createAccept({ queue, store: services.store, log }),
    zones: new LRUCache({ ...growTo(5_000), ttl: zonesForMs, ttlResolution: 60_000 }),
    lacks: (command) => missing.names.has(command.name),
  };
  const home = createHome({ services, client, catalog });
  const answers = createAnswers({ client, services, home, apiUrl: config.slack.apiUrl });
  const edge = createEdge({
    slack: config.slack,
    identity,
    deps,
    events: createEventHandlers({ deps, home, bot: identity.botUserId, say: answers.say }),
    say: answers.say,
    onAck: metrics?.ack,
  });
  metrics?.watch(services.store);
  const stop = async () => {
    missing.stop();
    await edge.stop();
    await Promise.all([queue.close(), sweep.close()]);
    await open.close();
  };
  await edge.start().catch(async (error: unknown) => {
    await stop();
    throw slackTrouble(error, 'SLACK_APP_TOKEN');
  });
  const record = createRecord({ store: services.store, catalog, log });
  return {
    listener: edge.listener,
    agents: createAgentDoor({ ...deps, record, reading: (user) => readingOf(deps, user) }),
    about: { workspace: identity.teamName, server: () => services.forge.capabilities.server() },
    signIn: joinSignIn(open, withReopen(answers, { services, client })),
    async ready() {
      await open.ready();
      if (!edge.connected()) throw new Error('not connected to Slack');
    },
    async wake(repoId, announced) {
      await wakeRepository(services.store, repoId, announced);
      await takeUpNow(sweep);
    },
    stop,
  };
}

/** Help hides what this server lacks; capabilities are read in the background, never while someone waits. */
function watchCapabilities(all: readonly AnyCommand[], supported: (command: AnyCommand) => Promise<boolean>) {
  const names = new Set<string>();
  const look = async () => {
    for (const command of all) {
      if (await supported(command)) names.delete(command.name);
      else names.add(command.name);
    }
  };
  void look().catch(() => {});
  const timer = setInterval(() => void look().catch(() => {}), capabilitiesEveryMs).unref();
  return { names, stop: () => clearInterval(timer) };
}
