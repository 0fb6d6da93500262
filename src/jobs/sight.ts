import { LRUCache } from 'lru-cache';
import { readsUnit } from '../features/repos/lookup.js';
import type { Unit } from '../feed/event.js';
import { splitFullName } from '../full-name.js';
import { growTo } from '../memory.js';
import type { Person } from '../store/index.js';
import type { FeedDeps } from './feed-deps.js';
import { visible } from './visible.js';

export interface RepositoryName {
  readonly id: number;
  readonly fullName: string;
}

/** Whether this person sees this repository, or this unit of it, with their own account; undefined if none is linked. */
export type Sight = (person: Person, repo: RepositoryName, unit?: Unit) => Promise<boolean | undefined>;

const yesMs = 5 * 60_000;
const noMs = 60_000;

/** The bot's account reads for everyone and may see more than the person responsible for what is shown. */
export function createSight({ as }: Pick<FeedDeps, 'as'>): Sight {
  const known = new LRUCache<string, { readonly sees: boolean }>(growTo(20_000));

  return async (person, repo, unit) => {
    const key = `${person.team}/${person.user} ${repo.id} ${unit ?? ''}`;
    const cached = known.get(key);
    if (cached) return cached.sees;
    const sees = await looks(person, repo, unit);
    if (sees !== undefined) known.set(key, { sees }, { ttl: sees ? yesMs : noMs });
    return sees;
  };

  async function looks(person: Person, { id, fullName }: RepositoryName, unit?: Unit): Promise<boolean | undefined> {
    const api = await as(person);
    // if the forge is down or refuses the account, this throws, and the next attempt asks again
    if (!api) return undefined;
    if ((await visible(fullName, api))?.id !== id) return false;
    return unit === undefined || readsUnit(api, splitFullName(fullName), unit);
  }
}
