import { type Api, ApiError } from '../../forge/index.js';
import { teamMembers } from '../../forge/team-members.js';
import type { Log } from '../../log.js';
import type { Account } from '../../store/index.js';
import type { Approvers, People, Person, Role } from '../context.js';
import { atLeast, type Roles } from '../roles.js';

/** What is known about people, groups and teams. */
interface Sources {
  readonly roles: Roles;
  readonly people: People;
  readonly service: Api;
  readonly log: Log;
}

/** Always read fresh: the click decides. */
export async function mayApprove(
  services: Sources,
  person: Person,
  account: Account | undefined,
  approve: Role | Approvers,
): Promise<boolean> {
  if (typeof approve === 'string') return atLeast(await services.roles.fresh(person), approve);
  if (await services.roles.isAmong(person, approve)) return true;
  // Only accounts confirmed by the forge count: a typed login proves no membership.
  if (!account?.verified || account.forgeUserId === null) return false;
  for (const team of approve.teams) {
    const members = await membersOf(services, team);
    if (members.some(({ id }) => id === account.forgeUserId)) return true;
  }
  return false;
}

/** Slack users who could decide; undefined means everyone. Of a team, only members known in Slack count. */
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

/** A team that does not exist or that our account cannot see counts as empty; if the forge is down, nothing is decided. */
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
