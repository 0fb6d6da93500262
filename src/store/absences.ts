import { z } from 'zod';
import { createSignatures, isUnsigned } from './authentic.js';
import type { Ground } from './ground.js';
import { createResigner } from './resign.js';
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

/** Repositories withheld from a channel that was told so; their return is checked. Signed, because it is announced. */
export function createAbsences(ground: Ground) {
  const { redis, keys, now } = ground;
  const signatures = createSignatures(ground, 'absence');
  const resigner = createResigner(redis, signatures);
  const field = (where: Where, repo: number) => `${subscriptionId(where)} r${repo}`;
  /** An earlier version did not sign them: those count only if they match their subscription. */
  const read = (name: string, stored: string): Absence | undefined => {
    const text = isUnsigned(stored) ? stored : signatures.read(stored, name);
    if (text === undefined) return undefined;
    const { sub, repo, at } = absence.decode(text);
    const where = readSubscriptionId(sub);
    const same = where.target.kind === 'repo' && where.target.id === repo.id;
    return isUnsigned(stored) && !same ? undefined : { where, repo, at };
  };
  return {
    /** Since when. */
    async note(where: Where, repo: Absence['repo']): Promise<number> {
      const made = { repo, sub: subscriptionId(where), at: now() };
      const name = field(where, repo.id);
      const text = signatures.sign(absence.encode(made), name);
      if ((await redis.hsetnx(keys.absences(), name, text)) === 1) return made.at;
      const stored = await redis.hget(keys.absences(), name);
      const known = stored === null ? undefined : read(name, stored);
      if (!known) await redis.hset(keys.absences(), name, text);
      return known?.at ?? made.at;
    },
    async all(): Promise<Absence[]> {
      const rows = Object.entries(await redis.hgetall(keys.absences()));
      return rows.flatMap(([name, stored]) => read(name, stored) ?? []);
    },
    async end({ where, repo }: Pick<Absence, 'where' | 'repo'>): Promise<void> {
      await redis.hdel(keys.absences(), field(where, repo.id));
    },

    resign: () => resigner.resign({ key: keys.absences(), idOf: (name) => [name] }),
  };
}
