import type { Event } from '../feed/event.js';
import type { Source } from '../feed/sources/source.js';
import { isHidden } from '../forge/index.js';
import type { Repository } from '../forge/schemas.js';
import { createLookUp, createMemory } from '../memory.js';
import type { FeedDeps } from './feed-deps.js';
import type { RepositoryName } from './sight.js';
import { visible } from './visible.js';

export interface RepoFacts {
  /** Whether it is not visible to everyone, at most a minute old; counts as hidden if the bot's account cannot see it. */
  isHidden(repo: RepositoryName): Promise<boolean>;
  /** The repository as the forge describes it now; undefined if it does not exist or is hidden from the bot's account. */
  read(fullName: string): Promise<Repository | undefined>;
  /** Its owner's id on the forge, at most ten minutes old; undefined if the bot's account cannot see it. */
  ownerOf(repo: RepositoryName): Promise<number | undefined>;
  /** Feed rows include their repository's visibility at the time they are read. */
  learn(source: Source, events: readonly Event[]): void;
  forget(id: number): void;
}

const freshMs = 60_000;

export function createRepoFacts({ service, now }: FeedDeps): RepoFacts {
  const known = createMemory<boolean, number>({ forMs: freshMs, most: 20_000, now });
  const owners = createLookUp<number | undefined>({ now });
  const read = (fullName: string): Promise<Repository | undefined> => visible(fullName, service);

  return {
    read,
    async isHidden({ id, fullName }) {
      const seen = known.get(id);
      if (seen !== undefined) return seen;
      const found = await read(fullName);
      const hidden = found?.id === id ? isHidden(found) : true;
      known.put(id, hidden);
      return hidden;
    },
    ownerOf: ({ id, fullName }) =>
      owners(String(id), async () => {
        const found = await read(fullName);
        return found?.id === id ? found.owner?.id : undefined;
      }),
    learn(source, events) {
      if (source.kind !== 'repo') return;
      for (const { repo } of events) known.put(repo.id, repo.hidden);
    },
    forget: known.forget,
  };
}
