import type { Context } from '../../chat/context.js';
import { choice, flag, labels, optional, person, repository, rest, text, toggle } from '../../chat/fields/index.js';
import { offset, readFrom, rows } from '../../chat/fields/offset.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { possible } from '../../forge/possible.js';
import type { Issue } from '../../forge/schemas/issue.js';
import type { Stretch } from '../../view/paging.js';
import { orNoPerson } from '../find-person.js';

/** The search options, named as in the forge. */
export const searchFields = {
  query: optional(rest({ label: 'Search', hint: 'Searches titles, text and comments.' })),
  state: flag(choice(['open', 'closed', 'all'], { label: 'State' })),
  type: flag(choice(['issues', 'pulls'], { label: 'Type', labels: { pulls: 'Pull requests' } })),
  repo: flag(repository({ label: 'Repository' })),
  owner: flag(text({ label: 'Owner', hint: 'Search all repositories of this person or organization.' })),
  labels: flag(labels({ hint: 'Any of them.' })),
  milestone: flag(text({ label: 'Milestone' })),
  author: flag(person({ label: 'Author' })),
  assigned: toggle({ label: 'Assigned to me' }),
  created: toggle({ label: 'Opened by me' }),
  mentioned: toggle({ label: 'Mentioning me' }),
  reviewRequested: toggle({ label: 'Waiting for my review' }),
  reviewed: toggle({ label: 'Reviewed by me' }),
  from: offset(),
};

export interface Search {
  readonly query?: string | undefined;
  readonly state?: 'open' | 'closed' | 'all' | undefined;
  readonly type?: 'issues' | 'pulls' | undefined;
  readonly repo?: RepositoryRef | undefined;
  readonly owner?: string | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly milestone?: string | undefined;
  readonly author?: string | undefined;
  readonly assigned?: boolean | undefined;
  readonly created?: boolean | undefined;
  readonly mentioned?: boolean | undefined;
  readonly reviewRequested?: boolean | undefined;
  readonly reviewed?: boolean | undefined;
  readonly from?: number | undefined;
}

export function queryOf(search: Search) {
  const { query, state, type, repo, owner = repo?.owner, labels, milestone, author } = search;
  return {
    ...(query && { q: query }),
    ...(state && { state }),
    ...(type && { type }),
    ...(owner && { owner }),
    ...(labels && { labels: labels.join(',') }),
    ...(milestone && { milestones: milestone }),
    ...(author && { created_by: author }),
    ...(search.assigned && { assigned: true }),
    ...(search.created && { created: true }),
    ...(search.mentioned && { mentioned: true }),
    ...(search.reviewRequested && { review_requested: true }),
    ...(search.reviewed && { reviewed: true }),
  };
}

const mostRead = 500;

/** The forge searches by owner; a single repository is filtered here. */
export async function find(search: Search, context: Context): Promise<Stretch<Issue>> {
  const { author } = search;
  const found = await orNoPerson(author, 'issues.search', 'author', searched(search, context));
  // Some servers find nothing instead of saying that there is no such person.
  if (author !== undefined && found.items.length === 0)
    await orNoPerson(author, 'users.get', 'author', possible(context.api.users.get({ username: author })));
  return found;
}

async function searched(search: Search, { api }: Context): Promise<Stretch<Issue>> {
  const { from = 0, repo } = search;
  const query = queryOf(search);
  if (!repo) return readFrom(from, (paging) => api.issues.search({ query: { ...query, ...paging } }));
  const wanted = fullName(repo).toLowerCase();
  const found: Issue[] = [];
  let read = 0;
  let note: string | undefined;
  const noted = (said: string) => {
    note = said;
  };
  for await (const item of api.issues.search.each({ query }, { max: mostRead, noted })) {
    read += 1;
    if (item.repository?.full_name.toLowerCase() === wanted) found.push(item);
  }
  // "Nothing found" would be misleading for a repository that does not exist.
  if (found.length === 0) await possible(api.repos.get(repo));
  const items = found.slice(from, from + rows);
  if (read >= mostRead) note = `Only the owner’s first ${mostRead} were searched.`;
  return { items, from, total: found.length, hasMore: from + items.length < found.length, note };
}
