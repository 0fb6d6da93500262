import { z } from 'zod';
import { type Ground, versionedCodec } from './ground.js';
import { readSubscriptionId, type Subscription, subscriptionId } from './subscriptions.js';

type Where = Pick<Subscription, 'place' | 'target'>;

const Absence = z.object({
  repo: z.object({ id: z.int(), fullName: z.string() }),
  /** Whose subscription it was. */
  sub: z.string(),
  at: z.int(),
});
const absence = versionedCodec(Absence);

export interface Absence {
  readonly where: Where;
  readonly repo: { readonly id: number; readonly fullName: string };
  readonly at: number;
}

/** Repositories withheld from a channel that was notified of it; their return is checked. */
export function createAbsences({ redis, keys, now }: Ground) {
  const field = (where: Where, repo: number) => `${subscriptionId(where)} r${repo}`;
  const read = (stored: string): Absence => {
    const { sub, repo, at } = absence.decode(stored);
    return { where: readSubscriptionId(sub), repo, at };
  };
  return {
    /** Since when. */
    async note(where: Where, repo: Absence['repo']): Promise<number> {
      const made = { repo, sub: subscriptionId(where), at: now() };
      const name = field(where, repo.id);
      if ((await redis.hsetnx(keys.absences(), name, absence.encode(made))) === 1) return made.at;
      const stored = await redis.hget(keys.absences(), name);
      return stored === null ? made.at : read(stored).at;
    },
    async all(): Promise<Absence[]> {
      return Object.values(await redis.hgetall(keys.absences())).map(read);
    },
    async end({ where, repo }: Pick<Absence, 'where' | 'repo'>): Promise<void> {
      await redis.hdel(keys.absences(), field(where, repo.id));
    },
  };
}
