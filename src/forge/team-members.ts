import type { Api } from './index.js';
import { gathered } from './pages.js';

const mostTeams = 200;
const mostMembers = 500;

/** Forge users in the team `org/name`, as this account sees it; undefined if it cannot see such a team. */
export async function teamMembers(
  { orgs }: Pick<Api, 'orgs'>,
  team: string,
): Promise<readonly { readonly id: number; readonly login: string }[] | undefined> {
  const [org = '', name = ''] = team.toLowerCase().split('/');
  const teams = await gathered(orgs.listTeams.each({ org }, { max: mostTeams }));
  const found = teams.find((each) => each.name.toLowerCase() === name);
  return found && gathered(orgs.listTeamMembers.each({ id: found.id }, { max: mostMembers }));
}
