import type { Context } from '../../chat/context.js';
import type { Milestone } from '../../chat/fields/tags.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { asCode, UserError } from '../../errors.js';
import { gathered } from '../../forge/index.js';
import { ifAnswered, possible } from '../../forge/possible.js';
import type { Label } from '../../forge/schemas/label.js';
import type { Milestone as Known } from '../../forge/schemas/milestone.js';
import { nearest } from '../../nearest.js';
import { some } from '../../view/look.js';
import { code, readable } from '../../view/text.js';
import { labelsFor } from './labels.js';

// People write names; the forge wants ids and answers an unknown one with an empty 500.

export const mostNames = 500;

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

const mostListed = 8;
const listed = (names: readonly string[]) => some(names, mostListed).plain;
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
    `${strangers.join(', ')} cannot be assigned in ${fullName(repo)}. Those who can: ${listed(able.map(({ login }) => login)) || 'nobody'}.`,
  );
}

export async function milestoneId(
  { owner, repo }: RepositoryRef,
  milestone: Milestone,
  context: Context,
): Promise<number> {
  const listing = gathered(
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
  throw new UserError(`${owner}/${repo} has no ${name}. Open milestones: ${listed(open) || 'none'}.`);
}

function inThem(known: readonly Known[], milestone: Milestone): Known | undefined {
  if ('id' in milestone) return known.find(({ id }) => id === milestone.id);
  const { title } = milestone;
  return known.find((each) => each.title === title) ?? known.find((each) => same(each.title, title));
}

/** Throws if the repository lacks one of them: the forge would ignore it. `held` are the item's own. */
export async function labelIds(
  { owner, repo }: RepositoryRef,
  names: readonly string[],
  context: Context,
  held: readonly Label[] = [],
): Promise<number[]> {
  const idIn = (labels: readonly Label[], name: string) =>
    (labels.find((label) => label.name === name) ?? labels.find((label) => same(label.name, name)))?.id;
  const present = names.flatMap((name) => idIn(held, name) ?? []);
  if (present.length === names.length) return present;
  const own = await labelsFor(context.api, { owner, repo }, { max: mostNames });
  const known = [...held, ...own];
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
