import type { Context } from '../../chat/context.js';
import {
  body,
  clearable,
  date,
  flag,
  hidden,
  labels,
  type Milestone,
  milestone,
  type Needed,
  number,
  people,
  printsOf,
  type Seen,
  seenField,
  text,
} from '../../chat/fields.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { asCode, UserError } from '../../errors.js';
import { type Api, gather } from '../../forge/index.js';
import { ifAnswered, possible } from '../../forge/possible.js';
import type { Issue, Milestone as Known, Label } from '../../forge/schemas.js';
import { nearest } from '../../nearest.js';
import { some } from '../../view/look.js';
import { code, readable } from '../../view/text.js';
import { day } from '../../view/when.js';

const future = date({ label: 'Due date' });
const anyDay = date({ label: 'Due date', past: true });

/** Words mean future days; a full date may be in the past, such as an overdue one in a form. */
export function dueDate(): Needed<string> {
  const written = /^\s*\d{4}-\d{2}-\d{2}\s*$/;
  return { ...future, read: (text, reading) => (written.test(text) ? anyDay : future).read(text, reading) };
}

/** The forge stores the last second of the day. */
export const endOfDay = (day: string) => `${day}T23:59:59Z`;

/** What can be changed on an issue or pull request; null clears it. */
export interface Values {
  readonly title?: string | undefined;
  readonly body?: string | null | undefined;
  readonly assignees?: readonly string[] | null | undefined;
  readonly milestone?: Milestone | null | undefined;
  readonly due?: string | null | undefined;
  readonly labels?: readonly string[] | null | undefined;
}

/** As requested: with what the form showed, if there was one. */
export interface WantedValues extends Values {
  readonly version?: number | undefined;
  readonly seen?: Seen | undefined;
}

export const valueNames = ['title', 'body', 'assignees', 'milestone', 'due', 'labels'] as const;
export type ValueName = (typeof valueNames)[number];

export const words: Readonly<Record<ValueName, string>> = {
  title: 'title',
  body: 'text',
  assignees: 'assignees',
  milestone: 'milestone',
  due: 'due date',
  labels: 'labels',
};

/** The fields of `issue edit` and `pr edit`. */
export const editFields = {
  title: flag(text({ label: 'Title' })),
  body: flag(clearable(body({ label: 'Text', hint: 'Markdown.' }))),
  assignees: flag(clearable(people({ label: 'Assignees' }))),
  milestone: flag(clearable(milestone())),
  due: flag(clearable(dueDate())),
  labels: flag(clearable(labels())),
  version: hidden(number({ label: 'Version', min: 0 })),
  seen: seenField(),
};

/** All of them, as the forge has them now. */
interface PresentValues extends Values {
  readonly title: string;
  readonly milestone: { readonly title: string } | null;
}

export function valuesOf(issue: Issue): PresentValues {
  return {
    title: issue.title,
    body: issue.body,
    assignees: issue.assignees.map(({ login }) => login),
    milestone: issue.milestone ? { title: issue.milestone.title.replace(/\s+/g, ' ').trim() } : null,
    due: day(issue.due_date) ?? null,
    labels: issue.labels.map(({ name }) => name),
  };
}

const nullIfEmpty = <T>(all: readonly T[]) => (all.length === 0 ? null : all);

/** The current values, to prefill a form. */
export function formValues(issue: Issue | undefined) {
  // Without them an emptied field would look like one that was never filled.
  if (!issue) {
    throw new UserError(
      'This forge cannot fill the form. Type the change instead, such as /forge issue edit #12 --title "New title".',
    );
  }
  const values = valuesOf(issue);
  return {
    ...values,
    assignees: nullIfEmpty(issue.assignees.map(({ login }) => ({ login }))),
    labels: nullIfEmpty(values.labels ?? []),
    seen: printsOf({ ...values }),
    ...(issue.content_version === undefined ? {} : { version: issue.content_version }),
  };
}

/** The labels available in a repository: its own, and those of its organization. */
export async function labelsFor(
  api: Api,
  { owner, repo }: RepositoryRef,
  bounds: { readonly max: number; readonly maxPages?: number },
): Promise<Label[]> {
  const [own, shared] = await Promise.all([
    gather(api.repos.listLabels.each({ owner, repo }, bounds)),
    // A person has none, and some servers do not list them.
    ifAnswered(gather(api.orgs.listLabels.each({ org: owner }, bounds))),
  ]);
  return [...own, ...(shared ?? [])];
}

// People write names; the forge wants ids and answers an unknown one with an empty 500.

export const mostNames = 500;

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

const mostListed = 8;
const listNames = (names: readonly string[]) => some(names, mostListed).plain;
const listedAsCode = (names: readonly string[]) => readable(some(names.map(code), mostListed).source);

/** Those who can be assigned; all of them if the server does not say. */
export async function assignable({ owner, repo }: RepositoryRef, logins: readonly string[], { api }: Context) {
  const able = logins.length > 0 ? await ifAnswered(api.repos.listAssignees({ owner, repo })) : undefined;
  return able ? logins.filter((login) => able.items.some((user) => same(user.login, login))) : logins;
}

/** Those the repository has; all of them if the server does not say. */
export async function existingLabels(repository: RepositoryRef, names: readonly string[], { api }: Context) {
  const known = names.length > 0 ? await ifAnswered(labelsFor(api, repository, { max: mostNames })) : undefined;
  return known ? names.filter((name) => known.some((label) => same(label.name, name))) : names;
}

/** Throws if one of them cannot be assigned; does nothing if the server does not say who can. */
export async function refuseStrangers(repo: RepositoryRef, logins: readonly string[], context: Context): Promise<void> {
  if (logins.length === 0) return;
  const { owner, repo: name } = repo;
  const able = (await possible(context.api.repos.listAssignees({ owner, repo: name })))?.items;
  const strangers = able ? logins.filter((login) => !able.some((user) => same(user.login, login))) : [];
  if (!able || strangers.length === 0) return;
  throw new UserError(
    `${strangers.join(', ')} cannot be assigned in ${fullName(repo)}. Those who can: ${listNames(able.map(({ login }) => login)) || 'nobody'}.`,
  );
}

export async function milestoneId(
  { owner, repo }: RepositoryRef,
  milestone: Milestone,
  context: Context,
): Promise<number> {
  const listing = gather(
    context.api.repos.listMilestones.each({ owner, repo, query: { state: 'all' } }, { max: mostNames }),
  );
  // An id comes from a menu, which may have offered milestones of another repository.
  const known = 'id' in milestone ? await possible(listing) : await listing;
  if ('id' in milestone && (!known || known.length >= mostNames)) return milestone.id;
  const found = known && inThem(known, milestone);
  if (found) return found.id;
  const name =
    'id' in milestone ? 'such milestone: it belongs to another repository' : `milestone “${milestone.title}”`;
  const open = (known ?? []).filter((each) => each.state !== 'closed').map((each) => each.title);
  throw new UserError(`${owner}/${repo} has no ${name}. Open milestones: ${listNames(open) || 'none'}.`);
}

function inThem(known: readonly Known[], milestone: Milestone): Known | undefined {
  if ('id' in milestone) return known.find(({ id }) => id === milestone.id);
  const { title } = milestone;
  return known.find((each) => each.title === title) ?? known.find((each) => same(each.title, title));
}

/** Separated by spaces instead of commas; a name may have spaces itself, so the longest that exists counts. */
function namesIn(entry: string, known: readonly string[]): readonly string[] {
  const isKnown = (name: string) => known.some((each) => same(each, name));
  if (isKnown(entry)) return [entry];
  const parts = entry.split(/\s+/);
  const found: string[] = [];
  for (let from = 0, end = 0; from < parts.length; from = end) {
    const upTo = (at: number) => parts.slice(from, at).join(' ');
    end = parts.length;
    while (end > from && !isKnown(upTo(end))) end -= 1;
    if (end === from) return [entry];
    found.push(upTo(end));
  }
  return found;
}

/** Those that exist, each by itself; all as they were written if the server does not say. */
export async function splitLabels(repo: RepositoryRef, names: readonly string[], { api }: Context) {
  if (!names.some((name) => /\s/.test(name))) return names;
  const known = (await ifAnswered(labelsFor(api, repo, { max: mostNames })))?.map(({ name }) => name) ?? [];
  return names.flatMap((name) => namesIn(name, known));
}

/** Throws if the repository lacks one of them: the forge would ignore it. `held` are the item's own. */
export async function labelIds(
  { owner, repo }: RepositoryRef,
  written: readonly string[],
  context: Context,
  held: readonly Label[] = [],
): Promise<number[]> {
  const idIn = (labels: readonly Label[], name: string) =>
    (labels.find((label) => label.name === name) ?? labels.find((label) => same(label.name, name)))?.id;
  const present = written.flatMap((name) => idIn(held, name) ?? []);
  if (present.length === written.length) return present;
  const own = await labelsFor(context.api, { owner, repo }, { max: mostNames });
  const known = [...held, ...own];
  const all = known.map(({ name }) => name);
  const names = written.flatMap((each) => namesIn(each, all));
  const unknown = names.filter((name) => idIn(known, name) === undefined);
  if (unknown.length === 0) return names.flatMap((name) => idIn(known, name) ?? []);
  throw unknownLabels({ owner, repo }, unknown, own);
}

export function unknownLabels(at: RepositoryRef, unknown: readonly string[], known: readonly Label[]): UserError {
  const names = known.map(({ name }) => name);
  const near = unknown.length === 1 ? nearest(unknown[0] ?? '', names) : undefined;
  const meant = near === undefined ? '' : ` Did you mean ${asCode(near)}?`;
  return new UserError(
    `${fullName(at)} has no label ${asCode(...unknown)}.${meant} It has: ${listedAsCode(names) || 'none'}.`,
  );
}

const fold = (text: string | undefined) => text?.toLowerCase();

/** What the item lacks of what was requested: `labels bug`. */
function missing(name: ValueName, wanted: WantedValues, item: Issue): string | undefined {
  const now = valuesOf(item);
  if (name === 'assignees' || name === 'labels') {
    const held = now[name] ?? [];
    const named = (wanted[name] ?? []).flatMap((each) => namesIn(each, held));
    const lacking = named.filter((each) => !held.some((one) => same(one, each)));
    if (lacking.length > 0) return `${words[name]} ${lacking.join(', ')}`;
    return held.length > named.length ? words[name] : undefined;
  }
  if (name === 'due') return now.due === (wanted.due ?? null) ? undefined : words.due;
  if (name !== 'milestone') return undefined;
  const { milestone } = wanted;
  const asked = milestone && 'id' in milestone ? milestone.id : fold(milestone?.title);
  const held = milestone && 'id' in milestone ? item.milestone?.id : fold(now.milestone?.title);
  return asked === held ? undefined : words.milestone;
}

/** Without write permission, or with an unknown name, the forge reports success and leaves these unchanged. */
export const leftOut = (wanted: WantedValues, item: Issue, names: readonly ValueName[] = valueNames): string[] =>
  names.flatMap((name) => (wanted[name] === undefined ? [] : (missing(name, wanted, item) ?? [])));

/** One sentence about all of them; none if nothing was left out. */
export function leftOutSentence(wanted: WantedValues, item: Issue, names?: readonly ValueName[]): string[] {
  const left = leftOut(wanted, item, names);
  if (left.length === 0) return [];
  return [`The forge did not save ${left.join('; ')}. You may not have permission, or the name does not exist.`];
}
