import type { Context } from '../../chat/context.js';
import type { Milestone } from '../../chat/fields/tags.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import { possible } from '../possible.js';

// People write names, the forge wants ids, and answers an unknown one with an empty 500.

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

const some = (names: readonly string[], most = 8) =>
  names.length > most ? `${names.slice(0, most).join(', ')} and ${names.length - most} more` : names.join(', ');

/** Throws where one of them cannot be assigned; says nothing where the server does not tell who can. */
export async function refuseStrangers(repo: RepositoryRef, logins: readonly string[], context: Context): Promise<void> {
  if (logins.length === 0) return;
  const { owner, repo: name } = repo;
  const able = (await possible(context.api.repos.listAssignees({ owner, repo: name })))?.items;
  const strangers = able ? logins.filter((login) => !able.some((user) => same(user.login, login))) : [];
  if (!able || strangers.length === 0) return;
  throw new UserError(
    `${strangers.join(', ')} cannot be assigned in ${fullName(repo)}. Those who can: ${some(able.map(({ login }) => login)) || 'nobody'}.`,
  );
}

const mostNames = 500;

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

export async function milestoneId(
  { owner, repo }: RepositoryRef,
  milestone: Milestone,
  context: Context,
): Promise<number> {
  if ('id' in milestone) return milestone.id;
  const { title } = milestone;
  const known = await all(
    context.api.repos.listMilestones.each({ owner, repo, query: { state: 'all' } }, { max: mostNames }),
  );
  const found = known.find((each) => each.title === title) ?? known.find((each) => same(each.title, title));
  if (found) return found.id;
  const open = known.filter((each) => each.state !== 'closed').map((each) => each.title);
  throw new UserError(`${owner}/${repo} has no milestone “${title}”. Open ones: ${some(open) || 'none'}.`);
}

export async function labelIds(
  { owner, repo }: RepositoryRef,
  names: readonly string[],
  context: Context,
): Promise<number[]> {
  if (names.length === 0) return [];
  const known = await all(context.api.repos.listLabels.each({ owner, repo }, { max: mostNames }));
  const found = names.map((name) => known.find((label) => same(label.name, name))?.id);
  const unknown = names.filter((_, at) => found[at] === undefined);
  if (unknown.length === 0) return found.filter((id) => id !== undefined);
  const words = some(known.map(({ name }) => name)) || 'none';
  throw new UserError(`${owner}/${repo} has no label ${unknown.join(', ')}. It has: ${words}.`);
}
