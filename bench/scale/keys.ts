import { Redis } from 'ioredis';
import { familyOf } from '../../test/support/key-family.js';

export interface Census {
  readonly bytes: number;
  /** By family: how many keys, and how many entries in keys that never expire. */
  readonly families: ReadonlyMap<string, { readonly keys: number; readonly lasting: number }>;
}

const sizeOf: Readonly<Record<string, (redis: Redis, key: string) => Promise<number>>> = {
  hash: (redis, key) => redis.hlen(key),
  zset: (redis, key) => redis.zcard(key),
  set: (redis, key) => redis.scard(key),
  list: (redis, key) => redis.llen(key),
  stream: (redis, key) => redis.xlen(key),
};

/** The current content of all masters. */
export async function census(ports: readonly number[]): Promise<Census> {
  const families = new Map<string, { keys: number; lasting: number }>();
  let bytes = 0;
  for (const port of ports) {
    const redis = new Redis(port, '127.0.0.1');
    bytes += Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
    for await (const keys of redis.scanStream({ count: 1_000 }) as AsyncIterable<string[]>) {
      await Promise.all(keys.map((key) => count(redis, key, families)));
    }
    redis.disconnect();
  }
  return { bytes, families };
}

async function count(redis: Redis, key: string, into: Map<string, { keys: number; lasting: number }>): Promise<void> {
  const [ttl, type] = await Promise.all([redis.pttl(key), redis.type(key)]);
  const queue = /^\{bellows:[^:]+:(\w+)\}:\w+:(\w+)$/.exec(key);
  const name =
    familyOf(key) ?? (queue ? `queue ${queue[1]} ${Number.isNaN(Number(queue[2])) ? queue[2] : 'job'}` : 'other');
  const lasting = ttl === -1 ? ((await sizeOf[type]?.(redis, key)) ?? 1) : 0;
  // read and written without an await in between: many are counted at once
  const before = into.get(name) ?? { keys: 0, lasting: 0 };
  into.set(name, { keys: before.keys + 1, lasting: before.lasting + lasting });
}
