import type { Context } from '../../chat/context.js';
import { choice, flag, labels, optional, person, repository } from '../../chat/fields/index.js';
import type { RepositoryRef } from '../../chat/references.js';
import { offset } from '../offset.js';
import type { Search } from './query.js';

/** What a list may be narrowed by; anything more is a search. */
export const listFields = {
  repository: optional(repository({ hint: 'Leave empty for this channel’s repository, or all of yours.' })),
  state: flag(choice(['open', 'closed', 'all'], { label: 'State' })),
  labels: flag(labels({ hint: 'Any of them.' })),
  author: flag(person({ label: 'Author' })),
  from: offset(),
};

interface Listed extends Pick<Search, 'state' | 'labels' | 'author' | 'from'> {
  readonly repository?: RepositoryRef | undefined;
}

/** The repository that was named, else the channel's own, else all. */
export async function searchOf(
  { repository, ...listed }: Listed,
  type: 'issues' | 'pulls',
  { store, person, channel }: Context,
): Promise<Search> {
  const own =
    channel === undefined ? undefined : await store.channels.defaultRepository({ team: person.team, channel });
  const repo = repository ?? (own && { owner: own.owner, repo: own.name });
  return { ...listed, type, ...(repo && { repo }) };
}
