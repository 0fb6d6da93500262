import type { Config, Deployment } from '../../config.js';
import { workflowAt } from '../../domain/workflows/source.js';
import type { Api, Forge } from '../../forge/index.js';
import { unlessUnseen } from '../../forge/possible.js';
import { teamMembers } from '../../forge/team-members.js';
import { splitFullName } from '../../full-name.js';
import type { Notebook } from './finding.js';
import { namedIn } from './policies.js';

/** Whether what bellows.yaml names exists: repositories, workflow files, teams. */
export async function lookAtDeployments(
  { policy }: Config,
  service: Api,
  forge: Forge,
  found: Notebook,
): Promise<void> {
  for (const [name, deployment] of Object.entries(policy.deployments))
    await lookAt(name, deployment, { service, forge }, found);
  const approving = teamsIn(policy);
  for (const team of approving) await lookAtTeam(team, 'can approve', service, found);
  const mentioned = Object.keys(policy.teams).filter((team) => !approving.includes(team));
  for (const team of mentioned) await lookAtTeam(team, 'are mentioned through a Slack user group', service, found);
}

async function lookAt(
  name: string,
  { repository, workflow }: Deployment,
  { service, forge }: { readonly service: Api; readonly forge: Forge },
  found: Notebook,
): Promise<void> {
  const { owner, repo } = splitFullName(repository);
  const at = { owner, repo };
  if (!(await exists(service.repos.get(at))))
    return found.failure(
      `deployments.${name}: the service account can’t see ${repository}`,
      'Check the name, and give the account access.',
    );
  if (await unlessUnseen(workflowAt({ at, file: workflow }, forge, service)))
    return found.ok(`deployments.${name}: ${workflow} in ${repository}`);
  found.failure(
    `deployments.${name}: ${repository} has no workflow ${workflow} on its default branch`,
    'Check the file name.',
  );
}

function teamsIn(policy: Config['policy']): string[] {
  return [...new Set(namedIn(policy).flatMap(({ teams }) => teams))];
}

async function lookAtTeam(team: string, what: string, service: Api, found: Notebook): Promise<void> {
  const members = await unlessUnseen(teamMembers(service, team));
  if (!members)
    return found.failure(
      `team ${team}: the service account can’t see it`,
      'Check the name, and add the account to that organization.',
    );
  found.ok(`team ${team}: ${members.length} members ${what}`);
}

const exists = async (asking: Promise<unknown>): Promise<boolean> => (await unlessUnseen(asking)) !== undefined;
