import { describe, gather } from '../forge/index.js';
import { ifAnswered } from '../forge/possible.js';
import type { Context } from './context.js';
import { noRight } from './explain.js';
import { type RepositoryRef, repositoryIn } from './references.js';
import type { Request } from './request.js';

const mostMembers = 500;
const writes: ReadonlySet<string> = new Set(['write', 'admin', 'owner']);

/** A team may write to a unit of a repository whose code it only reads. */
export async function mayWrite(at: RepositoryRef, unit: string, { api, login }: Context): Promise<boolean> {
  const { permissions } = await api.repos.get(at);
  if (permissions?.push !== false) return true;
  const teams = (await ifAnswered(api.repos.listTeams(at)))?.items ?? [];
  const isMe = (user: { readonly login: string }) => user.login.toLowerCase() === login.toLowerCase();
  for (const { id } of teams.filter((each) => writes.has(each.units_map?.[unit] ?? ''))) {
    const members = await ifAnswered(gather(api.orgs.listTeamMembers.each({ id }, { max: mostMembers })));
    if (members?.some(isMe)) return true;
  }
  return false;
}

/** Whose writers may send its writes; other nouns depend on more, such as who opened an issue. */
const units: Readonly<Record<string, string>> = {
  runs: 'repo.actions',
  workflows: 'repo.actions',
  projects: 'repo.projects',
};

async function mayBeSent({ operation, input }: Request, context: Context): Promise<boolean> {
  const { api } = context;
  if (describe(operation).effect === 'read') return true;
  if (operation.startsWith('admin.')) return (await ifAnswered(api.users.me()))?.is_admin !== false;
  const at = repositoryIn({ input });
  if (at && operation === 'keys.addDeploy') return (await ifAnswered(api.repos.get(at)))?.permissions?.admin !== false;
  const unit = units[operation.split('.')[0] ?? ''];
  return !at || unit === undefined || (await ifAnswered(mayWrite(at, unit, context))) !== false;
}

/** Asked first: nobody has to decide on what the forge would refuse. */
export async function refuseWithoutRights(planned: readonly Request[], context: Context): Promise<void> {
  for (const request of planned) if (!(await mayBeSent(request, context))) throw noRight(request.operation);
}
