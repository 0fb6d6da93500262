import { createHash } from 'node:crypto';
import type { Connection } from './redis.js';

export type Argument = string | number | Buffer;
export type Script = (redis: Connection, keys: readonly string[], args: readonly Argument[]) => Promise<unknown>;

/** One atomic step in Redis: sent by its hash, or in full if the server does not know it yet. */
export function script(lua: string): Script {
  const sha = createHash('sha1').update(lua).digest('hex');
  return async (redis, keys, args) => {
    oneSlot(keys);
    try {
      return await redis.evalsha(sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return redis.eval(lua, keys.length, ...keys, ...args);
    }
  };
}

// plain Redis accepts what a cluster refuses, so it is refused everywhere
function oneSlot(keys: readonly string[]): void {
  const [first = '', ...others] = keys;
  const tag = tagOf(first);
  if (others.some((key) => tagOf(key) !== tag))
    throw new Error(`A script's keys must share one hash tag: ${keys.join(' ')}`);
}

function tagOf(key: string): string {
  const open = key.indexOf('{');
  const close = open === -1 ? -1 : key.indexOf('}', open);
  return close > open + 1 ? key.slice(open + 1, close) : key;
}
