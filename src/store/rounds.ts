import { z } from 'zod';
import type { Ground } from './ground.js';

/** More people than any team has. */
const mostKept = 10_000;

/** When people were last chosen as reviewers, for taking turns. */
export function createRounds({ redis, keys, now }: Ground) {
  const rowOf = (owner: string, login: string) => `${owner}/${login}`.toLowerCase();
  return {
    async note(owner: string, login: string): Promise<void> {
      await redis.zadd(keys.rounds(), now(), rowOf(owner, login));
      await redis.zremrangebyrank(keys.rounds(), 0, -mostKept - 1);
    },

    /** In their order; 0 for those who were never chosen. */
    async times(owner: string, logins: readonly string[]): Promise<number[]> {
      if (logins.length === 0) return [];
      const rows = logins.map((login) => rowOf(owner, login));
      return z.array(z.coerce.number()).parse(await redis.zmscore(keys.rounds(), rows));
    },
  };
}
