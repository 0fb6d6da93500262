import { type SandboxRedis, startRedis as startServer } from '@bellows/sandbox/redis.js';
import { Cluster } from 'ioredis';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createSeal, createStore, type Store } from '../../src/store/index.js';
import { type Connection, close, connect, ready } from '../../src/store/redis.js';
import { familyOf } from './key-family.js';

const databases = 1_000;
const builtInDatabases = 16;
const mostServers = 3;
let shared: Promise<SandboxRedis> | undefined;
const earlier: SandboxRedis[] = [];
let taken = 0;

/** A private Redis for this vitest worker, started once. */
export const startRedis = (): Promise<SandboxRedis> => {
  shared ??= startServer({ databases });
  return shared;
};

/** The built-in server has few databases: once they were all given away, another one is started. */
async function nextDatabase(): Promise<string> {
  const mine = startRedis();
  taken += 1;
  const nth = taken;
  const server = await mine;
  if (nth < (server.kind === 'built-in' ? builtInDatabases : databases)) return server.url.replace(/\d+$/, String(nth));
  if (shared === mine) {
    shared = undefined;
    taken = 0;
    earlier.push(server);
    if (earlier.length >= mostServers) await earlier.shift()?.close();
  }
  return nextDatabase();
}

/** A separate Redis, for tests that stop it or set its persistence; close it yourself. */
export const ownRedis = (args: readonly string[] = []): Promise<SandboxRedis> => startServer({ args });

export interface Fresh {
  readonly redis: Connection;
  readonly url: string;
  close(): Promise<void>;
}

/** A connection to a database that nobody else has or had: what an earlier test left running cannot write into it. */
export async function freshRedis(): Promise<Fresh> {
  const url = await nextDatabase();
  const redis = connect(url);
  await ready(redis);
  await redis.flushdb();
  return { redis, url, close: () => close(redis) };
}

/** A sealing key that differs from others by its number, and from a careless one by its bytes. */
export const testKey = (number: number) =>
  Buffer.from(Array.from({ length: 32 }, (_, at) => at * 7 + number)).toString('base64');
export const testKeys = `k1:${testKey(0)},k0:${testKey(1)}`;

export interface TestStore {
  readonly store: Store;
  readonly redis: Connection;
  readonly url: string;
  /** Moves the store's clock. */
  pass(ms: number): void;
  now(): number;
}

/** A store on an empty Redis for each test of the file, with a clock that stands still. */
export function useStore(): TestStore {
  let fresh: Fresh | undefined;
  let store: Store | undefined;
  let clock = Date.parse('2026-11-10T09:00:00Z');
  const given = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('useStore() gives its store inside tests only.');
    return value;
  };
  beforeAll(async () => {
    fresh = await freshRedis();
  });
  beforeEach(async () => {
    const { redis } = given(fresh);
    await redis.flushdb();
    clock = Date.parse('2026-11-10T09:00:00Z');
    store = createStore({ redis, forgeId: 'f0', seal: createSeal(testKeys), now: () => clock });
  });
  afterAll(() => fresh?.close());
  return {
    get store() {
      return given(store);
    },
    get redis() {
      return given(fresh).redis;
    },
    get url() {
      return given(fresh).url;
    },
    pass: (ms) => {
      clock += ms;
    },
    now: () => clock,
  };
}

/** Every key now in Redis. */
export async function allKeys(redis: Connection): Promise<string[]> {
  const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
  return (await Promise.all(nodes.map((node) => node.keys('*')))).flat();
}

/** The only command that runs now. */
export async function runningJob(redis: Connection): Promise<string> {
  const lock = (await allKeys(redis)).find((key) => key.endsWith(':lock') && key.includes(':act'));
  if (lock === undefined) throw new Error('no job runs');
  return lock.split(':').at(-2) ?? '';
}

/** Keys unknown to store/keys.ts; queues keep theirs under `{bellows:`. */
export const strayKeys = async (redis: Connection): Promise<string[]> =>
  (await allKeys(redis)).filter((key) => familyOf(key) === undefined && !key.startsWith('{bellows:'));

/** Every key with its whole value, whatever its type; for tests that search for secrets. */
export async function everythingIn(url: string): Promise<Record<string, unknown>> {
  const redis = connect(url);
  await ready(redis);
  const readers: Readonly<Record<string, (key: string) => Promise<unknown>>> = {
    string: (key) => redis.get(key),
    hash: (key) => redis.hgetall(key),
    set: (key) => redis.smembers(key),
    zset: (key) => redis.zrange(key, '0', '-1'),
    list: (key) => redis.lrange(key, 0, -1),
    stream: (key) => redis.xrange(key, '-', '+'),
  };
  const entries = (await allKeys(redis)).map(
    async (key) => [key, await readers[await redis.type(key)]?.(key)] as const,
  );
  const all = Object.fromEntries(await Promise.all(entries));
  await close(redis);
  return all;
}
