import { LRUCache } from 'lru-cache';
import type { Event } from '../feed/event.js';
import type { Source } from '../feed/sources/source.js';
import { isHidden } from '../forge/index.js';
import { unlessGone } from '../forge/possible.js';
import type { Repository } from '../forge/schemas/repository.js';
import { splitFullName } from '../full-name.js';
import type { FeedDeps } from './feed-deps.js';
import type { RepositoryName } from './sight.js';

export interface RepoFacts {
  /** Whether it is not visible to everyone, at most a minute old; counts as hidden if it cannot be read. */
  isHidden(repo: RepositoryName): Promise<boolean>;
  /** The repository as the forge describes it now; undefined if it does not exist or is not accessible. */
  read(fullName: string): Promise<Repository | undefined>;
  /** Feed rows include their repository's visibility at the time they are read. */
  learn(source: Source, events: readonly Event[]): void;
  forget(id: number): void;
}

const freshMs = 60_000;

export function createRepoFacts({ service, has, now }: FeedDeps): RepoFacts {
  const known = new LRUCache<number, { readonly hidden: boolean; readonly at: number }>({ max: 20_000 });

  async function read(fullName: string): Promise<Repository | undefined> {
    const { owner, repo } = splitFullName(fullName);
    if (await has('repos.get')) return unlessGone(service.repos.get({ owner, repo }));
    const { items } = await service.repos.search({ query: { q: repo, limit: 50 } });
    return items.find(({ full_name }) => full_name.toLowerCase() === fullName.toLowerCase());
  }

  return {
    read,
    async isHidden({ id, fullName }) {
      const seen = known.get(id);
      if (seen && now() - seen.at <= freshMs) return seen.hidden;
      const found = await read(fullName);
      const hidden = found?.id === id ? isHidden(found) : true;
      known.set(id, { hidden, at: now() });
      return hidden;
    },
    learn(source, events) {
      if (source.kind !== 'repo') return;
      for (const { repo } of events) known.set(repo.id, { hidden: repo.hidden, at: now() });
    },
    forget: (id) => void known.delete(id),
  };
}
