import { formButton, runButton, turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import {
  choice,
  flag,
  labels,
  offset,
  optional,
  person,
  readFrom,
  repository,
  rest,
  rows,
  text,
  toggle,
} from '../../chat/fields.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { ApiError } from '../../forge/index.js';
import { possible } from '../../forge/possible.js';
import type { Issue } from '../../forge/schemas.js';
import { actions, context as quiet, section } from '../../view/blocks.js';
import { count } from '../../view/look.js';
import { type Message, message } from '../../view/message.js';
import { type Stretch, stretch } from '../../view/paging.js';
import { md } from '../../view/text.js';
import { orNoPerson } from '../find.js';
import { itemRow } from './card.js';
import { labelIds, milestoneId, splitLabels } from './values.js';

/** The search options, named as in the forge. */
const searchFields = {
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

interface Search {
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

function queryOf(search: Search) {
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
async function find(search: Search, context: Context): Promise<Stretch<Issue>> {
  const { author, owner } = search;
  const refuseUnknown = (login: string, field: 'author' | 'owner') =>
    orNoPerson(login, 'users.get', field, possible(context.api.users.get({ username: login })));
  const searched = searchIssues(search, context).catch(async (error: unknown) => {
    if (owner !== undefined && error instanceof ApiError && error.kind === 'invalid')
      await refuseUnknown(owner, 'owner');
    throw error;
  });
  const found = await orNoPerson(author, 'issues.search', 'author', searched);
  // Some servers find nothing instead of saying that there is no such person.
  if (author !== undefined && found.items.length === 0) await refuseUnknown(author, 'author');
  return found;
}

async function searchIssues(search: Search, context: Context): Promise<Stretch<Issue>> {
  const { from = 0, repo, milestone } = search;
  const { api } = context;
  const labels = repo && search.labels ? await splitLabels(repo, search.labels, context) : search.labels;
  const query = queryOf({ ...search, labels });
  if (!repo) return readFrom(from, (paging) => api.issues.search({ query: { ...query, ...paging } }));
  const wanted = fullName(repo).toLowerCase();
  const found: Issue[] = [];
  let read = 0;
  let note: string | undefined;
  const addNote = (said: string) => {
    note = said;
  };
  for await (const item of api.issues.search.each({ query }, { max: mostRead, noted: addNote })) {
    read += 1;
    if (item.repository?.full_name.toLowerCase() === wanted) found.push(item);
  }
  // "Nothing found" would be misleading for a repository, label or milestone that does not exist.
  if (found.length === 0) {
    await possible(api.repos.get(repo));
    if (labels) await possible(labelIds(repo, labels, context));
    if (milestone) await possible(milestoneId(repo, { title: milestone }, context));
  }
  const items = found.slice(from, from + rows);
  if (read >= mostRead) note = `Only the owner’s first ${mostRead} were searched.`;
  return { items, from, total: found.length, hasMore: from + items.length < found.length, note };
}

const nouns = { issues: 'issue', pulls: 'pull request' } as const;

/** Ten results at a time; the buttons continue the search. */
function searchReply(found: Stretch<Issue>, { author, ...args }: Search, context: Context): Message {
  // The button carries values as they would be typed.
  const again = { ...args, ...(author && { author: { login: author } }) };
  const { from: _, ...first } = again;
  const change = formButton({ text: 'Change search', command: 'issue search', args: first });
  const { state = 'open', type } = args;
  const what = type ? nouns[type] : 'result';
  const noun = state === 'all' ? what : `${state} ${what}`;
  if (found.items.length === 0) {
    const all = runButton({ text: 'Include closed', command: 'issue search', args: { ...first, state: 'all' } });
    const buttons = actions(...(state === 'all' ? [change] : [all, change]));
    return message({ blocks: [section(md`No ${noun}s.`), quiet([found.note]), buttons] });
  }
  const head = found.total === undefined ? md`Results` : md`${count(found.total, noun)}`;
  const next = (from: number) => turnButton({ text: 'Show more', command: 'issue search', args: { ...again, from } });
  return message({
    blocks: [section(head, change), ...stretch(found, rows, (item) => itemRow(item, context), next)],
  });
}

/** Besides the search, what finds out which name does not exist. */
const namingOperations = [
  'issues.search',
  'repos.get',
  'users.get',
  'repos.listLabels',
  'orgs.listLabels',
  'repos.listMilestones',
] as const;

export const issueSearch = command({
  name: 'issue search',
  aliases: ['search'],
  summary: 'Search issues and pull requests in all your repositories',
  examples: [
    'issue search leaking pipe',
    'issue search --repo acme/engine --labels bug,urgent --state all',
    'issue search --assigned --type issues',
  ],
  fields: searchFields,
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: namingOperations,
  plan: (args) => [request('issues.search', { query: queryOf(args) })],
  run: (args, context) => find(args, context),
  reply: searchReply,
});

/** The filters of a list; anything more is a search. */
const fields = {
  repository: optional(repository({ hint: 'Leave empty for this channel’s repository, or all of yours.' })),
  state: flag(choice(['open', 'closed', 'all'], { label: 'State' })),
  labels: flag(labels({ hint: 'Any of them.' })),
  author: flag(person({ label: 'Author' })),
  from: offset(),
};

interface Listed extends Pick<Search, 'state' | 'labels' | 'author' | 'from'> {
  readonly repository?: RepositoryRef | undefined;
}

/** The named repository, or the channel's own, or all. */
async function searchOf(
  { repository, ...listed }: Listed,
  type: 'issues' | 'pulls',
  { store, person, channel }: Context,
): Promise<Search> {
  const own =
    channel === undefined ? undefined : await store.channels.defaultRepository({ team: person.team, channel });
  const repo = repository ?? (own && { owner: own.owner, repo: own.name });
  return { ...listed, type, ...(repo && { repo }) };
}

interface Words {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly examples: readonly string[];
}

/** `issue list` and `pr list` are one command with two sets of texts. */
export const listing = (type: 'issues' | 'pulls', words: Words) =>
  command({
    ...words,
    fields,
    role: 'everyone',
    risk: 'read',
    effect: 'read',
    operations: namingOperations,
    plan: async (args, context) => [request('issues.search', { query: queryOf(await searchOf(args, type, context)) })],
    async run(args, context) {
      const search = await searchOf(args, type, context);
      return { search, found: await find(search, context) };
    },
    reply: ({ search, found }, _args, context) => searchReply(found, search, context),
  });
