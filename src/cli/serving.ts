import type { RequestListener } from 'node:http';
import type { Hono } from 'hono';
import type { Part, Running } from '../bot.js';
import type { Config } from '../config.js';
import { within } from '../deadline.js';
import { UserError } from '../errors.js';
import { mountHook } from '../http/hook.js';
import { mountMcp } from '../http/mcp.js';
import type { Metrics } from '../http/metrics.js';
import { type Served, type ServeOptions, serve } from '../http/server.js';
import { mountSignIn } from '../http/sign-in.js';
import { createQueue, queueNames } from '../jobs/queues.js';
import type { Log } from '../log.js';
import type { AgentDoor } from '../mcp/door.js';
import { openDoor } from '../mcp/open.js';
import { close, connect, readNamespace, redisTrouble } from '../store/index.js';

export interface ServingOptions {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly parts: readonly [Part, ...Part[]];
  /** HTTP mode: the handler for /slack/events. */
  readonly slack?: RequestListener | undefined;
  /** On the bot: the handler for /mcp. */
  readonly agents?: AgentDoor | undefined;
}

const patienceMs = 2_000;

/** Health, metrics and the forge's webhook for every process; the queue board if a password for it is set. */
export async function serving({ config, log, metrics, parts, slack, agents }: ServingOptions): Promise<Served> {
  const board = config.queuesPassword === undefined ? undefined : await openBoard(config, config.queuesPassword, log);
  const { webhookSecret: secret } = config.forge;
  const [first] = parts;
  // a worker in this process polls at once; a bot alone asks for it through the queue
  const { wake } = parts.at(-1) ?? first;
  const served = await listening(config.http, {
    ...config.http,
    log,
    slack,
    ready: async () => {
      await within(patienceMs, Promise.all(parts.map((part) => part.ready())), 'Redis is not responding');
    },
    metrics: metrics.text,
    routes(app) {
      if (secret !== undefined) mountHook(app, { secret, log, wake });
      if (agents) mountMcp(app, { log, publicUrl: config.publicUrl, off: agents.off, open: openDoor(agents) });
      if (first.signIn && config.publicUrl !== undefined)
        mountSignIn(app, { signIn: first.signIn, publicUrl: config.publicUrl, log });
      board?.mount(app);
    },
  });
  return {
    ...served,
    async stop() {
      await served.stop();
      await board?.stop();
    },
  };
}

/** A port that cannot be opened gives a readable error. */
async function listening({ host, port }: Config['http'], options: ServeOptions): Promise<Served> {
  try {
    return await serve(options);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const why = reasons[code];
    throw why === undefined ? error : new UserError(`Cannot listen on ${host}:${port}: ${why}`, { cause: error });
  }
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use. Stop the other program, or set PORT.',
  EACCES: 'the port needs more privileges. Set PORT to 1024 or higher.',
  EADDRNOTAVAIL: 'this machine does not have that address. Set HOST.',
  ENOTFOUND: 'the host name does not exist. Set HOST.',
};

interface Board extends Running {
  mount(app: Hono): void;
}

/** Loaded only on demand: it is a whole web application. */
async function openBoard(config: Config, password: string, log: Log): Promise<Board> {
  const { mountQueues } = await import('../http/queues.js');
  const connection = connect(config.redisUrl, { onError: redisTrouble(log) });
  const { id: forgeId = config.namespace } = (await readNamespace(connection, config.namespace)) ?? {};
  const place = { connection, forgeId };
  const queues = queueNames.map((name) => createQueue(name, place));
  for (const queue of queues) queue.on('error', redisTrouble(log));
  return {
    mount: (app) => mountQueues(app, { queues, password, log }),
    async stop() {
      await Promise.all(queues.map((queue) => queue.close()));
      await close(connection);
    },
  };
}
