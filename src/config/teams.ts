import { splitFullName } from '../full-name.js';

/** Forge teams, written `org/team`, and their Slack user groups. */
type TeamGroups = Readonly<Record<string, string>>;

/** The forge is case-insensitive. */
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

/** `org/team`; if the server leaves out the organization, it is the repository's owner. */
export const teamPath = ({ name, organization }: Team, repository = ''): string =>
  `${organization?.name || splitFullName(repository).owner}/${name}`;
