import { type Api, ApiError } from '../../forge/index.js';
import { teamMembers } from '../../forge/team-members.js';
import type { Log } from '../../log.js';
import type { Account } from '../../store/index.js';
import type { Approvers, People, Person, Role } from '../context.js';
import { atLeast, type Roles } from '../roles.js';

/** Where people and their groups and teams are known from. */
interface Sources {
  readonly roles: Roles;
  readonly people: People;
  readonly service: Api;
  readonly log: Log;
}

/** Read now, not from memory: the click decides. */
export async function mayApprove(
  services: Sources,
  person: Person,
  account: Account | undefined,
  approve: Role | Approvers,
): Promise<boolean> {
  if (typeof approve === 'string') return atLeast(await services.roles.fresh(person), approve);
  if (await services.roles.isAmong(person, approve)) return true;
  // Only who the forge says they are: a login that was typed is no membership.
  if (!account?.verified || account.forgeUserId === null) return false;
  for (const team of approve.teams) {
    const members = await membersOf(services, team);
    if (members.some(({ id }) => id === account.forgeUserId)) return true;
  }
  return false;
}

/** Slack users who could decide; undefined where that is everyone. Of a team those count whom Bellows knows in Slack. */
export async function holdersOf(
  services: Sources,
  team: string,
  approve: Role | Approvers,
): Promise<readonly string[] | undefined> {
  const holders = await services.roles.holders(approve);
  if (typeof approve === 'string' || approve.teams.length === 0) return holders;
  const members = (await Promise.all(approve.teams.map((name) => membersOf(services, name)))).flat();
  const users = await Promise.all(members.map(({ login }) => services.people.slackUserOf(team, login)));
  return [...new Set([...(holders ?? []), ...users.filter((user) => user !== undefined)])];
}

/** A team that is gone or that our account may not see has nobody in it; while the forge is away nothing is decided. */
async function membersOf({ service, log }: Sources, team: string) {
  try {
    const members = await teamMembers(service, team);
    if (!members) log.warn({ team }, 'a team named in approvals does not exist, or the service account cannot see it');
    return members ?? [];
  } catch (error) {
    if (!(error instanceof ApiError) || (error.kind !== 'notFound' && error.kind !== 'forbidden')) throw error;
    log.warn({ team, reason: error.message }, 'the members of a team named in approvals cannot be read');
    return [];
  }
}
