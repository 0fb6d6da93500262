import { setTimeout as pause } from 'node:timers/promises';
import { Cluster, Redis } from 'ioredis';
import { within } from '../deadline.js';
import { UserError } from '../errors.js';
import { readAddress } from './address.js';
import { afterFailover, slowRefusals } from './refusals.js';

export type Connection = Redis | Cluster;

const lookAgainMs = 100;

export interface ConnectOptions {
  /** Fail fast: commands reject after this time, and none waits for a lost connection. For the bot. */
  readonly timeoutMs?: number;
  readonly name?: string;
  /** Connection errors are reported here; commands report their own failures. */
  readonly onError?: (error: Error) => void;
}

/** Connects at once in the background; `ready` waits for it. Without `timeoutMs`, commands wait until Redis is back. */
export function connect(url: string, options: ConnectOptions = {}): Connection {
  const address = readAddress(url);
  const shared = {
    ...(address.username === undefined ? {} : { username: address.username }),
    ...(address.password === undefined ? {} : { password: address.password }),
    ...(address.tls ? { tls: {} } : {}),
    connectionName: options.name ?? 'bellows',
    ...patience(options.timeoutMs),
    ...afterFailover(options.timeoutMs === undefined),
  };
  const redis = open();
  if (options.timeoutMs === undefined) slowRefusals(redis);
  if (redis instanceof Cluster) redis.on('+node', writeTogether);
  else writeTogether(redis);
  redis.on('error', options.onError ?? (() => {}));
  return redis;

  function open(): Connection {
    if (address.kind === 'cluster') {
      return new Cluster([...address.nodes], {
        redisOptions: shared,
        enableOfflineQueue: options.timeoutMs === undefined,
        // if ioredis checks and one check fails, its `connect` never settles, and a BullMQ worker waits for that forever
        enableReadyCheck: false,
        // a node that hangs without closing its connections is noticed only this way
        slotsRefreshInterval: 5_000,
        ...(options.timeoutMs === undefined && untilFailedOver),
        // in a TLS cluster, host names must reach the certificate check unresolved
        ...(address.tls ? { dnsLookup: (host, done) => done(null, host) } : {}),
      });
    }
    if (address.kind === 'sentinel') {
      const { nodes, master, db, tls } = address;
      return new Redis({ ...shared, sentinels: [...nodes], name: master, db, enableTLSForSentinelMode: tls });
    }
    const [node] = address.nodes;
    return new Redis({ ...shared, ...node, db: address.db });
  }
}

/** What is sent in one turn of the loop is one write: a write costs more than a command. */
function writeTogether(redis: Redis): void {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (...command) => {
    const { stream } = redis;
    // none before it connects
    if (stream?.writableCorked === 0) {
      stream.cork();
      process.nextTick(() => stream.uncork());
    }
    return send(...command);
  };
}

/** A replica takes over after the node timeout, 15 seconds by default: waiting commands are sent until one has. */
const untilFailedOver = {
  maxRedirections: Number.POSITIVE_INFINITY,
  retryDelayOnFailover: 500,
  retryDelayOnClusterDown: 500,
  retryDelayOnTryAgain: 500,
  // two nodes that disagree must not be asked in turn without a pause
  retryDelayOnMoved: 50,
} as const;

function patience(timeoutMs: number | undefined) {
  // BullMQ's workers refuse any other value here
  if (timeoutMs === undefined) return { maxRetriesPerRequest: null };
  // a command reported as failed must not be sent later without the person knowing
  return {
    commandTimeout: timeoutMs,
    connectTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
  };
}

/** Resolves when commands can be sent; rejects after `timeoutMs` with what to do. */
export async function ready(redis: Connection, timeoutMs = 10_000): Promise<void> {
  const late = (why: string) =>
    new UserError(`Redis did not answer within ${timeoutMs} ms${why}. Check REDIS_URL and that Redis is running.`);
  const until = performance.now() + timeoutMs;
  await waitUntilOpen(redis, timeoutMs, late);
  while (redis instanceof Cluster && !(await isUp(redis, until))) {
    if (performance.now() >= until) throw late(' (the Cluster is down)');
    await pause(lookAgainMs);
  }
}

/** Whether the Cluster serves all its slots; false if it does not say so in time. */
async function isUp(redis: Cluster, until: number): Promise<boolean> {
  const info = await within(until - performance.now(), redis.cluster('INFO'), 'late').catch(() => '');
  return String(info).includes('cluster_state:ok');
}

async function waitUntilOpen(redis: Connection, timeoutMs: number, late: (why: string) => Error): Promise<void> {
  if (redis.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const finish = (end: () => void) => () => {
      clearTimeout(timer);
      redis.off('ready', arrived);
      redis.off('error', remember);
      end();
    };
    let last = '';
    const remember = (error: Error) => {
      last = ` (${error.message})`;
    };
    const arrived = finish(resolve);
    const timer = setTimeout(() => finish(() => reject(late(last)))(), timeoutMs);
    redis.on('ready', arrived);
    redis.on('error', remember);
  });
}

/** Lets commands in flight finish, but never waits for a server that is down. */
export async function close(redis: Connection): Promise<void> {
  if (redis.status !== 'ready') return redis.disconnect();
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, 1000);
  });
  await Promise.race([redis.quit().catch(() => {}), enough]);
  clearTimeout(timer);
  redis.disconnect();
}
