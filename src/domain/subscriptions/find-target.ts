import type { Context } from '../../chat/context.js';
import { UserError } from '../../errors.js';
import { matches } from '../../feed/glob.js';
import { type Api, ApiError, isHidden } from '../../forge/index.js';
import type { Repository } from '../../forge/schemas/repository.js';
import type { Target } from '../../store/index.js';
import { lookUp } from '../repositories/lookup.js';
import type { Written } from './target.js';

/** So many repositories of an owner are listed: a pattern covers no others. */
export const mostOfOwner = 5_000;

/** A target on the forge, seen with the person's own permissions. */
export interface Found {
  readonly target: Target;
  /** Name of the repository, owner or person; a pattern is in the target. */
  readonly name: string;
  /** The repositories it currently includes; unknown for a person. */
  readonly repositories: readonly Repository[];
}

export function find(written: Written, context: Context): Promise<Found> {
  switch (written.kind) {
    case 'repo':
      return repository(written, context);
    case 'owner':
      return owner(written, context);
    case 'user':
      return person(written.login, context);
    case 'slack':
      return slackPerson(written.user, context);
  }
}

async function slackPerson(user: string, context: Context): Promise<Found> {
  const login = await context.people.loginOf({ team: context.person.team, user });
  if (login === undefined)
    throw new UserError('This person has no linked forge account. Use the forge login instead: @login.');
  return person(login, context);
}

/** The person's own account must see it, and so must Bellows, which reads for the channel. */
async function repository(
  { owner, repo }: { readonly owner: string; readonly repo: string },
  context: Context,
): Promise<Found> {
  const found = await seenBy(context.api, owner, repo);
  if (!found) throw new UserError(`I can’t find ${owner}/${repo}, or you don’t have access to it.`);
  if (isHidden(found) && (await seenBy(context.service, owner, repo))?.id !== found.id)
    throw new UserError(
      `Bellows has no access to ${found.full_name}. Give ${await serviceName(context)} read access on the forge, then try again.`,
    );
  return { target: { kind: 'repo', id: found.id }, name: found.full_name, repositories: [found] };
}

async function seenBy(api: Api, owner: string, name: string): Promise<Repository | undefined> {
  try {
    return await lookUp({ owner, name }, api);
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'forbidden') return undefined;
    throw error;
  }
}

/** An admin sees private rows in anyone's feed. */
async function readsEverything({ service }: Context): Promise<boolean> {
  try {
    return (await service.users.me()).is_admin;
  } catch (error) {
    // the account's role cannot be read, so it counts as an admin
    if (error instanceof ApiError) return true;
    throw error;
  }
}

async function serviceName({ service }: Context): Promise<string> {
  try {
    return (await service.users.me()).login;
  } catch (error) {
    if (error instanceof ApiError) return 'the account of FORGE_TOKEN';
    throw error;
  }
}

/** Only what this person sees: whether a pattern matches anything else is never revealed. */
async function owner(
  { owner, pattern }: { readonly owner: string; readonly pattern: string },
  context: Context,
): Promise<Found> {
  const known = await account(owner, context);
  if (!known) throw new UserError(`I can’t find ${owner} on the forge, or you don’t have access.`);
  const repositories: Repository[] = [];
  const query = { uid: known.id, exclusive: true };
  for await (const each of context.api.repos.search.each({ query }, { max: mostOfOwner })) {
    if (each.owner?.id === known.id && matches(pattern, each.name)) repositories.push(each);
  }
  return { target: { kind: 'owner', id: known.id, pattern }, name: known.login, repositories };
}

async function person(login: string, context: Context): Promise<Found> {
  const known = await account(login, context);
  if (!known) throw new UserError(`I can’t find ${login} on the forge. Check the login.`);
  if (await readsEverything(context))
    throw new UserError(
      'Bellows runs as a forge admin and would show private activity of people. Subscribe to repositories instead: owner/repo.',
    );
  return { target: { kind: 'user', id: known.id }, name: known.login, repositories: [] };
}

/** Organizations are users too; a server that shows no users by name still shows repository owners. */
async function account(
  username: string,
  { api }: Context,
): Promise<{ readonly id: number; readonly login: string } | undefined> {
  try {
    return await api.users.get({ username });
  } catch (error) {
    if (!(error instanceof ApiError) || (error.kind !== 'notFound' && error.kind !== 'forbidden')) throw error;
    if (!error.unsupported) return undefined;
  }
  for await (const { owner } of api.repos.search.each({}, { max: mostOfOwner })) {
    if (owner?.login.toLowerCase() === username.toLowerCase()) return owner;
  }
  return undefined;
}
