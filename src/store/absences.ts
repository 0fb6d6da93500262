import { z } from 'zod';
import type { Ground } from './ground.js';
import { readSubscriptionId, type Subscription, subscriptionId } from './subscription.js';
import { versioned } from './value.js';

type Where = Pick<Subscription, 'place' | 'target'>;

const Absence = z.object({
  repo: z.object({ id: z.int(), fullName: z.string() }),
  /** Whose subscription it was. */
  sub: z.string(),
  at: z.int(),
});
const absence = versioned(Absence);

export interface Absence {
  readonly where: Where;
  readonly repo: { readonly id: number; readonly fullName: string };
  readonly at: number;
}

/** Repositories that a channel is not shown for now, and was told so; their return is looked for. */
export function createAbsences({ redis, keys, now }: Ground) {
  const field = (where: Where, repo: number) => `${subscriptionId(where)} r${repo}`;
  return {
    /** Since when. */
    async note(where: Where, repo: Absence['repo']): Promise<number> {
      const made = { repo, sub: subscriptionId(where), at: now() };
      const name = field(where, repo.id);
      if ((await redis.hsetnx(keys.absences(), name, absence.encode(made))) === 1) return made.at;
      const text = await redis.hget(keys.absences(), name);
      return text === null ? made.at : absence.decode(text).at;
    },
    async all(): Promise<Absence[]> {
      return Object.values(await redis.hgetall(keys.absences())).map((text) => {
        const { sub, repo, at } = absence.decode(text);
        return { where: readSubscriptionId(sub), repo, at };
      });
    },
    /** True for the one who takes it away. */
    async end({ where, repo }: Pick<Absence, 'where' | 'repo'>): Promise<boolean> {
      return (await redis.hdel(keys.absences(), field(where, repo.id))) === 1;
    },
  };
}
