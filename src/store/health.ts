import { reasonOf } from '../errors.js';
import { createKeys } from './keys.js';
import { type Namespace, readNamespace } from './namespace.js';
import type { Connection } from './redis.js';
import { refusalOf } from './refusals.js';

/** Rejects with the reason if Redis cannot do what Bellows needs: keep its data. */
export async function checkRedis(redis: Connection, { id, name }: Namespace): Promise<void> {
  try {
    await redis.set(createKeys(id).probe(), '1', 'EX', 60);
  } catch (error) {
    throw new Error(refusalOf(error) ?? reasonOf(error), { cause: error });
  }
  if ((await readNamespace(redis, name)) === undefined) throw new Error('Redis is empty: its data was deleted');
}
