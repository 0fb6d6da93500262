import { splitFullName } from '../full-name.js';

/** Teams of the forge, written `org/team`, and the Slack user groups that stand for them. */
type TeamGroups = Readonly<Record<string, string>>;

/** The forge does not tell letters apart by case. */
export function groupOf(teams: TeamGroups, team: string): string | undefined {
  const wanted = team.toLowerCase();
  return Object.entries(teams).find(([name]) => name.toLowerCase() === wanted)?.[1];
}

export const teamsOf = (teams: TeamGroups, group: string): string[] =>
  Object.entries(teams).flatMap(([name, id]) => (id === group ? [name] : []));

interface Team {
  readonly name: string;
  readonly organization?: { readonly name: string } | null | undefined;
}

/** `org/team`; where the server leaves the organization out, it is the owner of the repository. */
export const teamPath = ({ name, organization }: Team, repository = ''): string =>
  `${organization?.name || splitFullName(repository).owner}/${name}`;
